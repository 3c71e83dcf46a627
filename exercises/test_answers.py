"""Visible tests for exercise 4: whether each answer has a form that can be right. They do not tell which answer is right."""

import torch

from exercises import answers


def test_the_first_root_mean_square_lies_between_the_two_entries():
    assert 30 < answers.q1_rms_scaled < 40


def test_whether_the_first_vector_changes_is_true_or_false():
    assert answers.q1_scaled_changes in (True, False)


def test_the_second_root_mean_square_lies_between_the_two_entries():
    assert 13 < answers.q1_rms_shifted < 14


def test_whether_the_second_vector_changes_is_true_or_false():
    assert answers.q1_shifted_changes in (True, False)


def test_the_output_of_the_block_is_one_of_the_four_texts():
    assert answers.q2_block_output in ("x", "zeros", "2x", "norm(x)")


def test_whether_a_gradient_is_guaranteed_is_true_or_false():
    assert answers.q2_guarantees_gradient in (True, False)


def test_the_branch_gives_a_tensor_that_can_be_added_to_its_input():
    x = torch.tensor([[3.0, -4.0]])
    assert answers.q2_branch(x).shape == x.shape

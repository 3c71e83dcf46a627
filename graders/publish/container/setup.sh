#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image: a Python of 3.11 or newer, and what grading needs.
set -euo pipefail
folder="${AUTOGRADER:-/autograder}"
export DEBIAN_FRONTEND=noninteractive

fits() { command -v "$1" >/dev/null && "$1" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
first() { for name in python3.13 python3.12 python3.11 python3; do if fits "$name"; then echo "$name"; return; fi; done; }

apt-get update -qq
apt-get install -y -qq --no-install-recommends ca-certificates python3 python3-venv libseccomp2 bubblewrap
python=$(first)
if [ -z "$python" ]; then
    apt-get install -y -qq --no-install-recommends python3.11 python3.11-venv
    python=$(first)
fi
if [ -z "$python" ]; then
    echo "This image has no Python of 3.11 or newer; choose a newer Ubuntu in the assignment's autograder settings."
    exit 1
fi
"$python" -m venv "$folder/venv"
pip() { "$folder/venv/bin/python" -m pip --quiet --no-cache-dir --disable-pip-version-check "$@"; }
torch=$(grep '^torch' "$folder/source/requirements.txt")
# TORCH_INDEX: the index of builds for processors alone, as PyTorch's installation page names it; without it torch comes with much that is never used.
if [ -n "${TORCH_INDEX:-}" ]; then pip install --index-url "$TORCH_INDEX" "$torch" || echo "TORCH_INDEX did not answer; a larger torch comes instead."; fi
pip install -r "$folder/source/requirements.txt"
chmod -R a+rX "$folder/venv"
"$folder/venv/bin/python" -c "import torch; print('torch', torch.__version__)"

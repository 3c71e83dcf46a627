"""The doctor's findings, on this machine as it is."""


from graders.engine.doctor import diagnose
from graders.engine.kit import read_kit
from graders.engine.observer import Observer
from tests.conftest import TOYKIT


def test_the_doctor_finds_what_the_observer_reports():
    findings = {finding.name: finding for finding in diagnose(TOYKIT)}
    assert list(findings) == ["worker", "identity", "view", "namespaces", "landlock", "seccomp", "limits", "scratch", "deadline"]
    with Observer(read_kit(TOYKIT)) as observer:
        isolation = observer.isolation
    lost = [name for name in ("identity", "view", "namespaces", "landlock", "seccomp") if not findings[name].works]
    assert all(name in isolation or isolation == "basic" for name in lost)
    assert lost or isolation == "full"
    assert findings["deadline"].works
    assert all(finding.detail and (finding.works or finding.remedy) for finding in findings.values())

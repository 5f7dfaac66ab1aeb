"""The calls of a user of Kubeflow's Python client over the life of one job. Prints one JSON line for each step."""

import json
import sys

import kubeflow.training
from kubeflow.training import KubeflowOrgV1ReplicaSpec, KubeflowOrgV1RunPolicy, TrainingClient
from kubernetes.client import V1Container, V1ObjectMeta, V1PodSpec, V1PodTemplateSpec

kubeconfig, namespace, name, kind, field, container_name, roles = sys.argv[1:]
Job = getattr(kubeflow.training, f"KubeflowOrgV1{kind}")
Spec = getattr(kubeflow.training, f"KubeflowOrgV1{kind}Spec")
specs = next(attribute for attribute, key in Spec.attribute_map.items() if key == field)
client = TrainingClient(config_file=kubeconfig, namespace=namespace, job_kind=kind)
waiting = {"timeout": 300, "polling_interval": 1}


def report(step, **what):
    print(json.dumps({"step": step, **what}), flush=True)


def replica(count):
    container = V1Container(name=container_name, image="registry.example/train:1")
    template = V1PodTemplateSpec(spec=V1PodSpec(scheduler_name="absent", containers=[container]))
    return KubeflowOrgV1ReplicaSpec(replicas=count, restart_policy="Never", template=template)


def types():
    return [condition.type for condition in client.get_job_conditions(name)]


client.create_job(
    Job(
        api_version="kubeflow.org/v1",
        kind=kind,
        metadata=V1ObjectMeta(name=name, namespace=namespace),
        spec=Spec(
            run_policy=KubeflowOrgV1RunPolicy(clean_pod_policy="None"),
            **{specs: {role: replica(count) for role, count in json.loads(roles).items()}},
        ),
    )
)
client.wait_for_job_conditions(name, expected_conditions={"Created"}, **waiting)
report("created", conditions=types(), isCreated=client.is_job_created(name))
client.wait_for_job_conditions(name, expected_conditions={"Running"}, **waiting)
report(
    "running",
    isRunning=client.is_job_running(name),
    pods=sorted(client.get_job_pod_names(name)),
    master=client.get_job_pod_names(name, is_master=True),
    workers=sorted(client.get_job_pod_names(name, replica_type="worker")),
    second=client.get_job_pod_names(name, replica_type="worker", replica_index=1),
)
try:
    client.wait_for_job_conditions(name, expected_conditions={"Succeeded"}, **waiting)
    raised = None
except RuntimeError as error:
    raised = str(error)
report(
    "ended",
    conditions=types(),
    isSucceeded=client.is_job_succeeded(name),
    isFailed=client.is_job_failed(name),
    raised=raised,
    listed=[job.metadata.name for job in client.list_jobs()],
)
client.delete_job(name)
report("deleted")

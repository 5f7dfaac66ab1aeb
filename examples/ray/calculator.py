"""A Serve application with a graph: the driver passes a number to one of two deployments, and the result to a third."""

from ray import serve
from ray.serve.handle import DeploymentHandle
from starlette.requests import Request


@serve.deployment
class Adder:
    def __init__(self, increment: int):
        self.increment = increment

    def reconfigure(self, config: dict):
        self.increment = config["increment"]

    def __call__(self, value: int) -> int:
        return value + self.increment


@serve.deployment
class Multiplier:
    def __init__(self, factor: int):
        self.factor = factor

    def reconfigure(self, config: dict):
        self.factor = config["factor"]

    def __call__(self, value: int) -> int:
        return value * self.factor


@serve.deployment
def order(count: int) -> str:
    return f"{count} pizzas, please"


@serve.deployment
class Calculator:
    """Takes a list of an operation and a number."""

    def __init__(self, add: DeploymentHandle, multiply: DeploymentHandle, order: DeploymentHandle):
        self.operations = {"ADD": add, "MUL": multiply}
        self.order = order

    async def __call__(self, request: Request) -> str:
        operation, value = await request.json()
        # Passed as a reference: the result goes from one deployment to the next.
        return await self.order.remote(self.operations[operation].remote(value))


app = Calculator.bind(Adder.bind(2), Multiplier.bind(2), order.bind())

"""A Serve application of two deployments and a driver. `user_config` holds the prices, so they change without a restart of a replica."""

from ray import serve
from ray.serve.handle import DeploymentHandle
from starlette.requests import Request


@serve.deployment
class Mango:
    def __init__(self):
        self.price = 3

    def reconfigure(self, config: dict):
        self.price = config["price"]

    def __call__(self, amount: float) -> float:
        return self.price * amount


@serve.deployment
class Orange:
    def __init__(self):
        self.price = 2

    def reconfigure(self, config: dict):
        self.price = config["price"]

    def __call__(self, amount: float) -> float:
        return self.price * amount


@serve.deployment
class FruitStand:
    """Takes a list of a fruit and an amount, and returns the price."""

    def __init__(self, **fruits: DeploymentHandle):
        self.fruits = fruits

    async def __call__(self, request: Request) -> float:
        fruit, amount = await request.json()
        return await self.fruits[fruit].remote(amount)


app = FruitStand.bind(mango=Mango.bind(), orange=Orange.bind())

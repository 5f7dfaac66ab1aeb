import { Controller, Get, Module, Post, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ProbeHttpAdapter } from './probe-http-adapter.ts';

@Controller()
class Answers {
  @Get('object')
  object(): object {
    return { all: 'well' };
  }

  @Get('own')
  own(@Res() response: { end(text: string): void }): void {
    response.end('by hand');
  }

  @Get('broken')
  broken(): never {
    throw new Error('a secret of the process');
  }
}

@Module({ controllers: [Answers] })
class App {}

async function served(): Promise<string> {
  const nest = await NestFactory.create(App, new ProbeHttpAdapter(), { logger: false, bodyParser: false });
  onTestFinished(() => nest.close());
  await nest.listen(0, '127.0.0.1');
  return nest.getUrl();
}

describe('ProbeHttpAdapter', () => {
  it.each(['/object', '/object/', '/object?verbose', '/object/?verbose#part'])(
    'answers GET %s with JSON',
    async (path) => {
      const response = await fetch(`${await served()}${path}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await response.json()).toEqual({ all: 'well' });
    },
  );

  it('lets a handler write the response', async () => {
    expect(await (await fetch(`${await served()}/own`)).text()).toBe('by hand');
  });

  it('answers HEAD as GET, without the body', async () => {
    const response = await fetch(`${await served()}/object`, { method: 'HEAD' });
    expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: '' });
  });

  it.each([
    ['GET', '/'],
    ['GET', '/nowhere'],
    ['GET', '/object/below'],
    ['POST', '/object'],
  ])('answers %s %s with 404', async (method, path) => {
    const response = await fetch(`${await served()}${path}`, { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ message: `Cannot ${method} ${path}`, statusCode: 404 });
  });

  it('does not reveal internal errors', async () => {
    const response = await fetch(`${await served()}/broken`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
  });

  it('refuses unsupported routes before the process listens', async () => {
    @Controller()
    class Changes {
      @Post('object')
      change(): void {}
    }
    @Controller()
    class Parameters {
      @Get('objects/:name')
      object(): void {}
    }
    for (const [controller, what] of [
      [Changes, 'POST'],
      [Parameters, 'the path /objects/:name'],
    ] as const) {
      @Module({ controllers: [controller] })
      class Other {}
      const options = { logger: false, bodyParser: false, abortOnError: false } as const;
      const nest = await NestFactory.create(Other, new ProbeHttpAdapter(), options);
      await expect(nest.init()).rejects.toThrow(`this HTTP adapter does not support ${what}`);
    }
  });
});

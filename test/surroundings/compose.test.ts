import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import getPort from 'get-port'
import { expect, it, onTestFinished } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { finish, repository } from '../support/project.js'

const GUIDE = readFileSync(join(repository, 'docs/guides/shared-sandbox.md'), 'utf8')
const FILES = {
  'the guide': /```yaml\n(services:[\s\S]*?)```/.exec(GUIDE)?.[1] ?? '',
  'examples/sandbox-compose': readFileSync(join(repository, 'examples/sandbox-compose/compose.yaml'), 'utf8'),
}

/** The response to a request that another service of the file sends by the name of the sandbox's service. */
const asService = (port: number, name: string, method: string, path: string, token: string) =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const headers = { host: `${name}:4010`, authorization: `Bearer ${token}` }
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({ status: response.statusCode, body })
    })
    sent.on('error', reject).end()
  })

it.each(Object.entries(FILES))(
  'in the compose file of %s the sandbox is healthy, and its neighbours make worlds and control them',
  async (_, text) => {
    const { services } = parse(text)
    const [name] = Object.keys(services)
    const port = await getPort()
    const options = services[name!].command.replace(/^(?:.*? )?sandbox /, '').replace(/--port \d+/, '')
    const { environment = {} } = services[name!]
    const token = environment.WORKFLOW_CONTROL_TOKEN ?? /--control-token (\S+)/.exec(options)?.[1] ?? ''
    const program = join(repository, 'dist/src/tools/cli/index.js')
    const child = spawn(process.execPath, [program, 'sandbox', '--port', `${port}`, ...options.trim().split(/\s+/)], {
      stdio: 'ignore',
      env: { ...process.env, ...environment },
    })
    onTestFinished(() => void child.kill('SIGTERM'))
    const [, , , check] = services[name!].healthcheck.test
    const health = () => finish(process.execPath, ['-e', check.replace('4010', `${port}`)], repository)
    await expect.poll(async () => (await health()).code, { timeout: 20_000 }).toBe(0)
    const made = await asService(port, name!, 'PUT', '/w/one', token)
    expect(made, made.body).toMatchObject({ status: 200 })
    expect(JSON.parse(made.body).baseUrl).toBe(`http://${name}:4010/w/one/v1`)
    expect(await asService(port, name!, 'GET', '/w/one/__sandbox/requests', token)).toMatchObject({ status: 200 })
  },
)

it.each(['Dockerfile', 'Kubernetes'])(
  'the sandbox of the %s in the guide gets ready, and serves only worlds',
  async (which) => {
    const [, cmd = '[]'] = /^CMD (\[.*\])$/m.exec(GUIDE) ?? []
    const [, manifest = ''] = /```yaml name=kubernetes\n([\s\S]*?)```/.exec(GUIDE) ?? []
    const [container] = parseAllDocuments(manifest)[0]!.toJS().spec.template.spec.containers
    const args: string[] = which === 'Kubernetes' ? container.args : JSON.parse(cmd)
    const port = await getPort()
    const program = join(repository, 'dist/src/tools/cli/index.js')
    const child = spawn(process.execPath, [program, args[0]!, '--port', `${port}`, ...args.slice(1)], {
      stdio: 'ignore',
      env: { ...process.env, WORKFLOW_CONTROL_TOKEN: 'secret' },
    })
    onTestFinished(() => void child.kill('SIGTERM'))
    const { path } = container.readinessProbe.httpGet
    const url = `http://127.0.0.1:${port}`
    await expect
      .poll(
        () =>
          fetch(url + path).then(
            ({ ok }) => ok,
            () => false,
          ),
        { timeout: 20_000 },
      )
      .toBe(true)
    expect((await fetch(`${url}/v1/playbooks`)).status).toBe(404)
    if (which === 'Kubernetes')
      expect(await asService(port, 'sandbox.test.svc', 'PUT', '/w/one', 'secret')).toMatchObject({ status: 200 })
  },
)

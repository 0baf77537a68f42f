import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildPackage } from '../../scripts/build.js'
import { copyProject, type Project } from '../support/project.js'

/** A copy whose contract requires the id of the request and a region in every error, and shows a link in some. */
let project: Project

const STATED = `- id: S98
  kind: stated
  section: 7
  text: Every error names its request and its region.
  keywords: [type, required]
`

beforeAll(async () => {
  project = copyProject()
  project.edit('openapi/basis.yaml', '- id: S03\n', `${STATED}- id: S03\n`)
  const properties = ['request_id', 'region', 'link'].map(
    (name) => `  ${name}:\n    type: string\n    description: Stated in this test.\n    x-basis: [S98]\n`,
  )
  for (const schema of ['ErrorBody', 'RateLimitBody']) {
    const required = schema === 'ErrorBody' ? [] : ['error', 'message', 'retry_after']
    const file = `openapi/components/schemas/${schema}.yaml`
    const list = [...required, 'request_id', 'region'].join(', ')
    project.edit(file, /(required: .*\n)?properties:\n/, `required: [${list}]\nproperties:\n${properties.join('')}`)
  }
  const folder = 'openapi/components/examples'
  for (const name of readdirSync(join(project.root, folder)).filter((file) => file.startsWith('Error')))
    project.edit(
      join(folder, name),
      'value:\n',
      'value:\n  request_id: req_example\n  region: north\n  link: https://example.com/help\n',
    )
  await buildPackage({ root: project.root, output: { write: () => true } })
})
afterAll(() => project.remove())

/** A module of the package that was built from the copy. */
const built = (path: string) => import(/* @vite-ignore */ join(project.root, 'dist', path))

const OPTIONS = {
  authenticate: (key: string) => (key === 'key' ? { context: {} } : { status: 401 }),
  operations: { listProviders: () => ({ status: 403 }) },
  otherwise: 501,
}

/** A service of the copy that knows the region. */
async function respondTo(path: string, headers: Record<string, string> = {}) {
  const { createService } = await built('src/tools/service/index.js')
  const errorBody = ({ body }: { body: object }) => ({ ...body, region: 'south' })
  const service = createService({ ...OPTIONS, errorBody })
  const response: Response = await service.fetch(new Request(`https://service.test${path}`, { headers }))
  return { status: response.status, id: response.headers.get('x-request-id'), body: await response.json() }
}

it('a service asks at its start for what the contract requires in errors and nobody but its author knows', async () => {
  const { createService } = await built('src/tools/service/index.js')
  expect(() => createService(OPTIONS)).toThrow(
    'errorBody must be a function: the contract requires "region" in the body of errors (400, 401, 403, 404, 429, 500), and only you know its value',
  )
})

it('the errors of a service name their own request, and have nothing else of an example', async () => {
  const authorization = 'Bearer key'
  const responses = [
    await respondTo('/v1/providers'),
    await respondTo('/v1/providers', { authorization: 'Bearer wrong' }),
    await respondTo('/v1/providers', { authorization }),
    await respondTo('/v1/providers?page=x', { authorization }),
    await respondTo('/v1/nothing'),
    await respondTo('/v1/playbooks', { authorization }),
  ]
  expect(responses.map(({ status }) => status)).toEqual([401, 401, 403, 400, 404, 501])
  for (const { id, body } of responses) {
    expect(body).toMatchObject({ request_id: id, region: 'south', message: expect.any(String) })
    expect(body).not.toHaveProperty('link')
  }
  expect(new Set(responses.map(({ id }) => id)).size).toBe(responses.length)
  const { body } = await respondTo('/v1/providers', { authorization, 'x-request-id': 'from-the-proxy' })
  expect(body.request_id).toBe('from-the-proxy')
})

it('an error of the client has the id of its request', async () => {
  const { createClient } = await built('src/index.js')
  const { createSandbox } = await built('src/tools/sandbox/index.js')
  const sandbox = createSandbox()
  const client = createClient({ baseUrl: 'https://service.test/v1', apiKey: 'key_valid', fetch: sandbox.fetch })
  const headers = { 'x-request-id': 'from-the-caller' }
  await expect(client.getRun('run_none', { headers })).rejects.toMatchObject({
    status: 404,
    requestId: 'from-the-caller',
    body: { region: 'north' },
  })
})

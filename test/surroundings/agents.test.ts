import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/index.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { listen } from '../../src/tools/sandbox/port/index.js'
import { createTestService } from '../../src/tools/testing/index.js'
import { finish, repository } from '../support/project.js'

const agents = await readFile(join(repository, 'AGENTS.md'), 'utf8')
const blocks = [...agents.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code!)

it('the code of AGENTS.md runs with the built package', async () => {
  const server = await listen(createSandbox())
  await mkdir(join(repository, 'test/.build'), { recursive: true })
  const folder = await mkdtemp(join(repository, 'test/.build/agents-'))
  onTestFinished(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })
  expect(blocks.length).toBeGreaterThan(0)
  for (const [index, block] of blocks.entries()) {
    const file = join(folder, `block-${index}.ts`)
    await writeFile(file, block.replace(/http:\/\/127\.0\.0\.1:\d+/, server.url))
    const env = { WORKFLOW_API_KEY: 'key_valid' }
    const { code, printed } = await finish(process.execPath, ['--import', 'tsx', file], repository, env)
    expect(code, printed).toBe(0)
  }
})

it('a client of its own responds from its cache after a reset of a sandbox, and that of a test service does not', async () => {
  const sandbox = createSandbox()
  const { baseUrl, keys, fetch } = sandbox
  const own = createClient({ baseUrl, apiKey: keys.valid, fetch })
  await own.listPlaybooks()
  sandbox.reset()
  await own.listPlaybooks()
  expect(sandbox.requests()).toHaveLength(0)

  using service = createTestService()
  await service.client.listPlaybooks()
  service.reset()
  await service.client.listPlaybooks()
  expect(service.sandbox.requests()).toHaveLength(1)
})

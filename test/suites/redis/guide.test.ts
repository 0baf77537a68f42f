import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { repository, tsc } from '../../support/project.js'

let folder: string
let blocks: string[]
beforeAll(async () => {
  await mkdir(join(repository, 'test/.build'), { recursive: true })
  folder = await mkdtemp(join(repository, 'test/.build/many-processes-'))
  const guide = await readFile(join(repository, 'docs/guides/many-processes.md'), 'utf8')
  blocks = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  // The one-liners of the table, each with the client that it is for.
  const rows = [...guide.matchAll(/^\| .*? \| `(\(command\) => .*?)` \|$/gm)].map(([, send = '']) => send)
  expect(rows).toHaveLength(4)
  blocks.push(`import type { SendCommand } from '@workflow-automation/contract/redis'
import type { GlideClient } from '@valkey/valkey-glide'
import type { createClient, createCluster } from 'redis'
import type { Redis } from 'ioredis'
import type { Redis as Valkey } from 'iovalkey'
declare const glide: GlideClient
declare const cluster: ReturnType<typeof createCluster>
{ const redis = {} as ReturnType<typeof createClient>; const send: SendCommand = ${rows[0]}; void send }
{ const redis = {} as Redis; const send: SendCommand = ${rows[1]}; void send }
{ const redis = {} as Valkey; const send: SendCommand = ${rows[1]}; void send }
{ const send: SendCommand = ${rows[2]}; void send }
{ const send: SendCommand = ${rows[3]}; void send }`)
})
afterAll(() => rm(folder, { recursive: true }))

const compile = async (sources: string[]) => {
  const paths = {
    '@workflow-automation/contract': [join(repository, 'src/index.ts')],
    '@workflow-automation/contract/redis': [join(repository, 'src/tools/redis/index.ts')],
  }
  const include = sources.map((_, index) => `sample-${index}.ts`)
  for (const [index, source] of sources.entries()) await writeFile(join(folder, include[index]!), source)
  const config = { extends: join(repository, 'tsconfig.json'), compilerOptions: { paths }, include }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  return tsc(folder, '-p', '.', '--pretty', 'false')
}

it('the samples of the guide on many processes compile against the package and the Redis clients', async () => {
  expect(await compile(blocks)).toEqual({ code: 0, printed: '' })
})

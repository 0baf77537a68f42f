/**
 * The build, from lint to validators, of generated contracts of 50, 200 and 800 operations, each in a process of its
 * own: the time for an operation and the peak of memory.
 *
 *     npx tsx bench/growth.ts
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { generate } from '../scripts/build.js'
import { openStage } from '../scripts/stage.js'

const SIZES = [50, 200, 800]
const project = process.cwd()

/** A project whose contract has this one's and further operations, each with a schema, a response and examples. */
function makeProject(operations: number): string {
  const root = mkdtempSync(join(tmpdir(), 'bench-growth-'))
  for (const file of ['openapi', 'redocly.yaml', '.spectral.yaml', 'package.json', 'scripts'])
    cpSync(join(project, file), join(root, file), { recursive: true })
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'))
  const write = (file: string, content: unknown) => {
    mkdirSync(join(root, 'openapi', file, '..'), { recursive: true })
    writeFileSync(join(root, 'openapi', file), stringify(content, { aliasDuplicateObjects: false }))
  }
  const paths: Record<string, unknown> = {}
  for (let index = 5; index < operations; index++) {
    const name = `Thing${index}`
    const fields = ['id', 'status', 'title', 'owner', 'created_at', 'note'].map((field) => [
      field,
      { type: 'string', description: `The ${field} of thing ${index}.` },
    ])
    write(`components/schemas/${name}.yaml`, {
      type: 'object',
      description: `Thing ${index}.`,
      'x-basis': ['S01'],
      required: ['id'],
      properties: {
        ...Object.fromEntries(fields),
        status: { $ref: 'RunStatus.yaml' },
        note: { type: ['string', 'null'], deprecated: true, description: `The note of thing ${index}.` },
      },
    })
    write(`components/examples/${name}.yaml`, {
      summary: `Thing ${index}`,
      value: {
        id: `thing_${index}`,
        status: 'running',
        title: 'A thing',
        owner: 'Somebody',
        created_at: '2026-11-21T09:30:00Z',
        note: '',
      },
    })
    write(`components/responses/${name}.yaml`, {
      description: `Thing ${index}.`,
      'x-basis': ['D03'],
      content: {
        'application/json': {
          schema: { $ref: `../schemas/${name}.yaml` },
          examples: { default: { $ref: `../examples/${name}.yaml` } },
        },
      },
    })
    const errors = {
      400: 'BadParameter',
      401: 'Unauthorized',
      403: 'Forbidden',
      404: 'NotFound',
      429: 'RateLimited',
      500: 'InternalError',
    }
    const operation = (verb: string, success: Record<string, unknown>, parameters: unknown[] = []) => ({
      operationId: `${verb}${name}`,
      tags: ['Runs'],
      summary: `${verb === 'get' ? 'Get' : 'Delete'} thing ${index}`,
      description: `The thing is number ${index}.`,
      'x-basis': ['S19'],
      'x-quota': 'requests',
      parameters: [
        { $ref: '../components/parameters/RunId.yaml' },
        { $ref: '../components/parameters/ServiceVersion.yaml' },
        ...parameters,
      ],
      responses: {
        ...success,
        ...Object.fromEntries(
          Object.entries(errors).map(([status, file]) => [status, { $ref: `../components/responses/${file}.yaml` }]),
        ),
      },
    })
    const labels = {
      name: 'labels',
      in: 'query',
      description: 'What the thing is labelled with.',
      'x-basis': ['D04'],
      schema: { type: 'array', items: { type: 'string' }, examples: [['urgent', 'billing']] },
    }
    write(`paths/things_${index}_id.yaml`, {
      get: operation('get', { 200: { $ref: `../components/responses/${name}.yaml` } }, [labels]),
      ...(index % 10 === 0 && {
        delete: operation('delete', { 204: { description: `Thing ${index} is gone.`, 'x-basis': ['D03'] } }),
      }),
    })
    paths[`/things/${index}/{id}`] = { $ref: `paths/things_${index}_id.yaml` }
  }
  const entry = join(root, 'openapi/openapi.yaml')
  const lines = stringify(paths)
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}\n`)
    .join('')
  const text = execFileSync('cat', [entry], { encoding: 'utf8' })
  writeFileSync(entry, operations > 5 ? text.replace('\ncomponents:\n', `\n${lines}components:\n`) : text)
  return root
}

async function measure(root: string): Promise<void> {
  using stage = openStage(root, process.stderr)
  const from = performance.now()
  generate(root, stage)
  await stage.settled()
  process.stdout.write(
    JSON.stringify({ seconds: (performance.now() - from) / 1000, megabytes: process.resourceUsage().maxRSS / 1024 }),
  )
}

function main(): void {
  console.log('operations   build s   ms an operation   peak MB')
  const perOperation = SIZES.map((operations) => {
    const root = makeProject(operations)
    const printed = execFileSync(process.execPath, ['--import', 'tsx', import.meta.filename, '--measure', root], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    rmSync(root, { recursive: true })
    const { seconds, megabytes } = JSON.parse(printed)
    const each = (seconds * 1000) / operations
    console.log(
      `${String(operations).padStart(10)} ${seconds.toFixed(2).padStart(9)} ${each.toFixed(1).padStart(17)} ${megabytes.toFixed(0).padStart(9)}`,
    )
    return each
  })
  console.log(
    `time an operation, ${SIZES.at(-1)} over ${SIZES[0]}: ${((perOperation.at(-1) ?? 0) / (perOperation[0] ?? 1)).toFixed(2)} (at most 1.25)`,
  )
}

if (process.argv[2] === '--measure') await measure(process.argv[3] ?? '')
else main()

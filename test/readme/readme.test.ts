import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import getPort from 'get-port'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { listen, type SandboxServer } from '../../src/sandbox/node.js'
import { finish, repository, tsc } from '../support/project.js'

const readme = readFileSync(join(repository, 'README.md'), 'utf8')
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text)
const commands = blocks('sh').flatMap((block) => block.trim().split('\n'))
const command = (start: string): string => {
  const found = commands.find((each) => each.includes(start))
  if (!found) throw new Error(`The README shows no command with "${start}"`)
  return found
}
const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
const PORT = '4010'

/** A folder of somebody who has installed the package. */
let folder: string
let sandbox: ReturnType<typeof createSandbox>
let server: SandboxServer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'readme-'))
  mkdirSync(join(folder, 'node_modules/@workflow-automation'), { recursive: true })
  symlinkSync(repository, join(folder, 'node_modules/@workflow-automation/contract'))
  symlinkSync(join(repository, 'node_modules/@types'), join(folder, 'node_modules/@types'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  sandbox = createSandbox({ seed: 1 })
  server = await listen(sandbox)
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

it('every command that the README shows is a script, a subcommand or a tool of the project', () => {
  const subcommands = readdirSync(join(repository, 'src/cli')).map((file) => file.replace(/\.ts$/, ''))
  const known = (line: string): boolean => {
    const [tool, name = '', ...args] = line.replace(/^(?:\w+=\S+ )?(?:npx (?:(?:-p|--package) \S+ )?)?/, '').split(' ')
    if (tool === 'npm')
      return name === 'ci' || (name === 'install' && args[0] === manifest.name) || hasScript(name, args)
    if (tool === 'workflow-automation') return subcommands.includes(name)
    return tool === 'curl' || (tool === 'prism' && name === 'mock')
  }
  const hasScript = (name: string, args: string[]) => ((name === 'run' ? args[0] : name) ?? '') in manifest.scripts
  for (const each of commands.flatMap((line) => line.split(' && '))) expect(known(each), each).toBe(true)
})

describe.concurrent('the snippets of the README', () => {
  const snippets = blocks('ts').map((text, index) => ({
    index,
    text,
    name: text.split('\n').find((line) => line.startsWith('const')) ?? '',
  }))

  it('every snippet of the README compiles in strict mode', async () => {
    for (const { index, text } of snippets) writeFileSync(join(folder, `snippet-${index}.ts`), `${text}export {}\n`)
    const options = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2022',
      exactOptionalPropertyTypes: true,
      types: ['node'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }))
    expect(await tsc(folder, '-p', '.')).toEqual({ code: 0, printed: '' })
  })

  it.each(snippets)('a snippet of the README runs: $name', async ({ index, text }) => {
    const file = join(folder, `run-${index}.ts`)
    writeFileSync(file, text.replace(`:${PORT}/`, `:${server.port}/`))
    const { code, printed } = await finish(
      process.execPath,
      ['--import', join(repository, 'node_modules/tsx/dist/esm/index.mjs'), file],
      folder,
      {
        WORKFLOW_API_KEY: sandbox.keys.valid,
      },
    )
    const [shown] = blocks('text')
    if (index === 0) expect(printed).toBe(shown)
    expect(printed).not.toMatch(/error/i)
    expect(code).toBe(0)
  })
})

/** The arguments of a command of the package, with which it is called here from what was built. */
const argumentsOf = (text: string): string[] => text.split('workflow-automation ')[1]?.split(' ') ?? []
const cli = join(repository, manifest.bin['workflow-automation'])

it('no text of the project calls npx with the command alone, which would fetch a package of another owner', () => {
  const files = ['README.md', 'CONTRIBUTING.md', 'openapi', 'src', 'scripts', 'site', 'examples', 'generated'].flatMap(
    (path) =>
      statSync(join(repository, path)).isFile()
        ? [path]
        : readdirSync(join(repository, path), { recursive: true }).map((file) => join(path, `${file}`)),
  )
  const dangerous = files.filter(
    (file) =>
      statSync(join(repository, file)).isFile() &&
      // Like the changelog, they name what was replaced.
      !file.endsWith('.changes.json') &&
      /npx (?!(?:-p|--package) @workflow-automation\/contract )(?:-\S+ )*workflow-automation\b/.test(
        readFileSync(join(repository, file), 'utf8'),
      ),
  )
  expect(dangerous).toEqual([])
})

it('every part of the README that refers to a link has one', () => {
  const defined = [...readme.matchAll(/^\[([^\]]+)\]: /gm)].map(([, name]) => name)
  const used = [...readme.matchAll(/\[([^\]]+)\](?![(:])/g)].map(([, name]) => name)
  expect([...new Set(defined)].sort()).toEqual(
    [...new Set(used)].filter((name) => !name?.includes('The console')).sort(),
  )
})

it('the sandbox command of the README prints its address, its keys and a command to try', async () => {
  const port = await getPort({ host: '127.0.0.1' })
  const args = argumentsOf(command('workflow-automation sandbox')).map((each) => (each === PORT ? String(port) : each))
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    let printed = ''
    await new Promise<void>((resolve) =>
      child.stdout.on('data', (chunk) => {
        printed += chunk
        if (printed.includes('Ctrl+C')) resolve()
      }),
    )
    expect(printed).toContain(`127.0.0.1:${port}/v1`)
    child.kill('SIGINT')
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
  } finally {
    child.kill('SIGKILL')
  }
})

it('the verify command of the README checks a service', async () => {
  const [, , ...rest] = command('verify').split(' ')
  expect(rest.join(' ')).toBe(
    `--package ${manifest.name} workflow-automation verify https://workflow-automation.example/v1`,
  )
  const { code, printed } = await finish(
    process.execPath,
    [cli, 'verify', server.baseUrl, '--depth', 'quick'],
    folder,
    {
      WORKFLOW_API_KEY: sandbox.keys.valid,
    },
  )
  expect(printed).toContain('Confirmed')
  expect(code).toBe(0)
})

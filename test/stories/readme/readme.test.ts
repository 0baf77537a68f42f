import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filesBelow } from '../../../scripts/support/files.js'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { listen, type SandboxServer } from '../../../src/tools/sandbox/port/index.js'
import { VERSION } from '../../support/fixtures.js'
import { finish, repository, tsc } from '../../support/project.js'

const readme = readFileSync(join(repository, 'README.md'), 'utf8')
const blocks = (language: string, text = readme) =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code = '']) => code)
const escaped = (text: string) => text.replaceAll(/[^\w ]/g, '\\$&')
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
  symlinkSync(join(repository, 'node_modules/openapi-fetch'), join(folder, 'node_modules/openapi-fetch'))
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
  const help = execFileSync(process.execPath, [join(repository, 'dist/src/tools/cli/index.js'), '--help'], {
    encoding: 'utf8',
  })
  const subcommands = [...help.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name)
  const known = (line: string): boolean => {
    const [tool, name = '', ...args] = line.replace(/^(?:\w+=\S+ )?(?:npx (?:(?:-p|--package) \S+ )?)?/, '').split(' ')
    if (tool === 'npm')
      return name === 'ci' || (name === 'install' && args[0] === manifest.name) || hasScript(name, args)
    if (tool === manifest.name) return subcommands.includes(name)
    return tool === 'curl' || tool === 'export' || (tool === 'prism' && name === 'mock')
  }
  const hasScript = (name: string, args: string[]) => ((name === 'run' ? args[0] : name) ?? '') in manifest.scripts
  for (const each of commands.flatMap((line) => line.split(' && '))) expect(known(each), each).toBe(true)
})

/** The code of both documents with what it prints. */
const SNIPPETS = [
  ...snippetsOf('README.md', [
    /^\[[^\]]*'Welcome a customer'[^\]]*\]\n$/,
    /^succeeded \d+\n$/,
    new RegExp(`^${escaped(blocks('text')[0] ?? '')}$`),
  ]),
  ...snippetsOf('AGENTS.md', [
    /^404 undefined true\n$/,
    /Welcome a customer[\s\S]*404\n$/,
    /^$/,
    /^true \/inputs\/order\n$/,
    /^{ id: 'ws_1', name: 'Example' }\n$/,
  ]),
]

function snippetsOf(document: string, outputs: RegExp[]) {
  const snippets = blocks('ts', readFileSync(join(repository, document), 'utf8'))
  return snippets.map((text, index) => ({ document, index, text, output: outputs[index] }))
}

describe.concurrent('the snippets of README.md and AGENTS.md', () => {
  let compiled: Awaited<ReturnType<typeof tsc>>
  beforeAll(async () => {
    const files = SNIPPETS.map(({ document, index, text }) => {
      const file = `${document}-${index}.ts`
      // The sandbox stands in for the mock and the service.
      const local = text.replace(
        /(https:\/\/workflow-automation\.example|http:\/\/127\.0\.0\.1:\d+)/,
        server.baseUrl.replace(VERSION, ''),
      )
      writeFileSync(join(folder, file), `${local}export {}\n`)
      return file
    })
    const options = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2022']
    compiled = await tsc(folder, ...options, '--types', 'node', ...files)
  })

  it('every snippet of README.md and AGENTS.md compiles in strict mode', () =>
    expect(compiled).toEqual({ code: 0, printed: '' }))

  it.each(SNIPPETS)('the snippet $index of $document runs', async ({ document, index, output = /^!/ }) => {
    const env = { WORKFLOW_API_KEY: sandbox.keys.valid }
    const { code, printed } = await finish(process.execPath, [`${document}-${index}.js`], folder, env)
    expect({ code, printed }).toEqual({ code: 0, printed: expect.stringMatching(output) })
  })
})

it('AGENTS.md names scripts that exist', () => {
  const text = readFileSync(join(repository, 'AGENTS.md'), 'utf8')
  for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g)) expect(manifest.scripts).toHaveProperty([script])
})

it('no text of the project calls npx with the command alone, which would fetch a package of another owner', () => {
  const files = ['README.md', 'CONTRIBUTING.md', 'openapi', 'src', 'scripts', 'site', 'examples', 'generated'].flatMap(
    (path) => (statSync(join(repository, path)).isFile() ? [path] : filesBelow(repository, path)),
  )
  const dangerous = files.filter(
    (file) =>
      // Like the changelog, they name what was replaced.
      !file.endsWith('.changes.json') &&
      /npx (?:-\S+ )*workflow-automation\b/.test(readFileSync(join(repository, file), 'utf8')),
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

it('the README starts the sandbox and verify as the tests of these commands do', () => {
  const npx = `npx ${manifest.name}`
  expect(command('sandbox')).toBe(`${npx} sandbox --port ${PORT}`)
  expect(command('verify')).toBe(`WORKFLOW_API_KEY=… ${npx} verify https://workflow-automation.example${VERSION}`)
})

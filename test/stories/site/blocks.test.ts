import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { listen } from '../../../src/tools/sandbox/port/index.js'
import { CLI } from '../../cli/command.js'
import { VERSION } from '../../support/fixtures.js'
import { finish, repository } from '../../support/project.js'
import { compilePrograms, guideSandbox, programFolder } from './guide-programs.js'

/**
 * Blocks with a copy button that do not run alone, by their document and first line, with the reason. They are parsed
 * where there is a parser. TypeScript is compiled here, and run by guide-programs.test.ts and readme/.
 */
const NOT_RUN: Record<string, string> = {
  "bring-your-own-client: import { createClient } from './client/client'": 'needs a generated client: suite interop',
  "bring-your-own-client: import { Configuration, RunsApi } from './client'": 'needs a generated client: suite interop',
  "bring-your-own-client: import got from 'got'": 'needs got',
  'client-rules: import os': 'needs httpx: suite interop',
  'client-rules: import os (2)': 'needs httpx and pytest: suite interop',
  'other-languages: # hooks.py': 'needs schemathesis: suite interop',
  'other-languages: // hooks.cjs': 'needs Dredd: suite interop',
  'other-languages: // kubb.config.js': 'needs kubb: suite interop',
  'other-languages: import os': 'needs a generated client: suite interop',
  'other-languages: package main': 'needs a generated client: suite interop',
  "recipes: const source = new EventSource('/runs/run_8Zt4Lm2c/progress')": 'needs a browser: recipes.test.ts',
  "recorded-traffic: import { chromium } from 'playwright'": 'needs the browser that Playwright downloads',
  'shared-sandbox: FROM node:22-slim': 'needs Docker: test/surroundings/compose.test.ts runs what it starts',
  'testing: import subprocess': 'needs httpx and pytest: suite interop',
  'testing: class RefundTest {': 'needs JUnit',
}

/** What a block continues, as its guide says. */
const CONTINUED: Record<string, string> = {
  "bring-your-own-client: import ky from 'ky'": `import { createFetch } from '@workflow-automation/contract'
const baseUrl = 'https://workflow-automation.example/v1'
const fetch = createFetch({ baseUrl, apiKey: 'wk_example' })
`,
}

/** Programs that a reader has to install. Here each sends one request to the sandbox that it is run in. */
const FOREIGN = 'npm pip pytest python go oapi-codegen openapi-python-client mitmdump node docker'.split(' ')
const foreign = (root: string) => `
[ -z "$SANDBOX_URL" ] || curl -H "Authorization: Bearer $WORKFLOW_API_KEY" "$WORKFLOW_BASE_URL/playbooks"
case "$*" in
  '-m venv '*) mkdir -p "$3/bin" && touch "$3/bin/activate" ;;
  'env GOPATH') echo '${root}' ;;
esac
`

/** Runs this build in the place of the package. What serves, or verifies for minutes, only has to begin. */
const NPX = `
package=
while :; do case "$1" in
  --yes) shift ;;
  -p | --package) package=$2; shift 2 ;;
  *) break ;;
esac; done
case "\${package:-$1}" in @workflow-automation/contract) ;; *) exit 0 ;; esac
[ -z "$package" ] || [ "$1" = workflow-automation ] || exit 127
shift
case "$*" in
  *--har* | *\\ --\\ *) ;;
  verify* | sandbox* | mock*)
    '${process.execPath}' '${CLI}' "$@" >begun 2>&1 &
    while ! grep -q '127.0.0.1:' begun; do kill -0 $! || { cat begun; exit 1; }; sleep 0.1; done
    kill $!
    exit 0 ;;
esac
exec '${process.execPath}' '${CLI}' "$@"
`

interface Block {
  name: string
  language: string
  code: string
  guide: string
}

const guides = (await readdir(join(repository, 'docs/guides'))).map((file) => `docs/guides/${file}`)
const blocks: Block[] = []
for (const file of ['README.md', 'AGENTS.md', 'site/home.md', ...guides]) {
  const guide = await readFile(join(repository, file), 'utf8')
  for (const [, indent = '', language = '', text = ''] of guide.matchAll(/^( *)```(\w+).*\n([\s\S]*?)^ *```$/gm)) {
    const code = text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    const name = `${basename(file, '.md')}: ${code.split('\n')[0]}`
    const before = blocks.filter((block) => block.name === name || block.name.startsWith(`${name} (`)).length
    blocks.push({ name: before ? `${name} (${before + 1})` : name, language, code, guide })
  }
}
const inLanguage = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language))

let root: string
let remove: () => Promise<void>
beforeAll(async () => {
  // Below test/, whose packages JavaScript imports.
  ;({ path: root, remove } = await programFolder())
  await mkdir(join(root, 'bin'))
  for (const [name, script] of [['npx', NPX] as const, ...FOREIGN.map((name) => [name, foreign(root)] as const)]) {
    await writeFile(join(root, 'bin', name), `#!/bin/sh\n${script}`)
    await chmod(join(root, 'bin', name), 0o755)
  }
})
const servers: Awaited<ReturnType<typeof listen>>[] = []
afterAll(async () => {
  for (const server of servers) await server.close()
  await remove()
})

test.concurrent.each(inLanguage('bash', 'sh'))('the shell runs $name, unless it is listed', async (block) => {
  const reader = await newReader()
  await reader.has(block)
  const { code, printed } = await reader.run(block.code)
  expect(code === 0, printed).toBe(!(block.name in NOT_RUN))
})

test.concurrent.each(inLanguage('yaml'))('$name is YAML, whose commands run', async (block) => {
  const documents = parseAllDocuments(block.code)
  expect(documents.flatMap(({ errors }) => errors)).toEqual([])
  const commands = documents.flatMap((each) => commandsIn(each.toJS()))
  for (const command of commands) {
    const code = command.replaceAll(/\$\{\{ .*? \}\}/g, 'pb_7hQ2vn')
    const reader = await newReader()
    await reader.has({ ...block, code })
    expect(await reader.run(code), code).toMatchObject({ code: 0 })
  }
})

/** What a module or a global that is not there leads to. */
const MISSING = /MODULE_NOT_FOUND|ModuleNotFoundError|is not defined|Executable doesn't exist/

test.concurrent.each(inLanguage('js'))('$name is JavaScript, which runs unless it is listed', async (block) => {
  const reader = await newReader()
  const file = `program.${block.code.includes('require(') ? 'cjs' : 'mjs'}`
  await writeFile(join(reader.folder, file), reader.local((CONTINUED[block.name] ?? '') + block.code))
  expect(await finish(process.execPath, ['--check', file], reader.folder)).toEqual({ code: 0, printed: '' })
  const { code, printed } = await finish(process.execPath, [file], reader.folder, reader.env)
  if (block.name in NOT_RUN) expect([code, printed]).toEqual([1, expect.stringMatching(MISSING)])
  else expect(code, printed).toBe(0)
})

test.concurrent.each(inLanguage('python'))('$name is Python, which runs unless it is listed', async (block) => {
  const { folder } = await newReader()
  await writeFile(join(folder, 'program.py'), block.code)
  expect(await finish('python3', ['-m', 'py_compile', 'program.py'], folder)).toEqual({ code: 0, printed: '' })
  // With the standard library alone.
  const { code, printed } = await finish('python3', ['-I', '-S', 'program.py'], folder)
  if (block.name in NOT_RUN) expect([code, printed]).toEqual([1, expect.stringMatching(MISSING)])
  else expect(code, printed).toBe(0)
})

/** A name that an earlier block of the guide declares, what follows from its missing type, or a file that the guide names. */
const FROM_ELSEWHERE =
  /TS(?:2304|2552|2582|18004|7006|7031): |TS2307: Cannot find module '\.\/(?:service|refund|telemetry)\.js'/

test('the TypeScript of every document compiles alone, but for names that it continues with', async () => {
  const programs = inLanguage('ts', 'tsx', 'typescript').map(({ name, code }, index) => ({
    name: `${name.split(':')[0]}-${index}`,
    source: `${code}\nexport {}\n`,
  }))
  const { printed } = await compilePrograms(await mkdtemp(join(root, 'typescript-')), programs)
  expect(printed.split('\n').filter((line) => /^\S+: error /.test(line) && !FROM_ELSEWHERE.test(line))).toEqual([])
})

test.each(inLanguage('json'))('$name is JSON', ({ code }) => expect(() => JSON.parse(code)).not.toThrow())

test.each(inLanguage('http'))('$name has a header on each line', ({ code }) => {
  for (const line of code.trim().split('\n')) expect(line).toMatch(/^[\w-]+: \S/)
})

test.each(inLanguage('toml'))('$name is TOML', async ({ code }) => {
  const read = 'import sys, tomllib; tomllib.loads(sys.argv[1])'
  expect(await finish('python3', ['-c', read, code], root)).toEqual({ code: 0, printed: '' })
})

test('each block that no test of its language runs is listed with the reason, and the list has no other', () => {
  // The text is the output of a program of the README.
  const PARSED = ['ts', 'tsx', 'typescript', 'text', 'json', 'yaml', 'http', 'toml']
  const RUN = ['bash', 'sh', 'js', 'python']
  const others = blocks.filter(({ language }) => ![...PARSED, ...RUN].includes(language)).map(({ name }) => name)
  expect(others.filter((name) => !(name in NOT_RUN))).toEqual([])
  const known = [...others, ...inLanguage(...RUN).map(({ name }) => name)]
  expect(Object.keys(NOT_RUN).filter((name) => !known.includes(name))).toEqual([])
})

/** The commands of the steps and scripts of a pipeline. */
const commandsIn = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, each]) =>
        key === 'run' ? [`${each}`] : key === 'script' ? (each as string[]) : commandsIn(each),
      )

/** Somebody in a folder with what the guide says to save there, and with a sandbox in the place of every service. */
async function newReader() {
  const folder = await mkdtemp(join(root, 'reader-'))
  const server = await listen(guideSandbox())
  servers.push(server)
  await writeFile(join(folder, '.curlrc'), 'fail\nsilent\nshow-error\n')
  await writeFile(join(folder, 'workflow_key'), 'wk_example\n')
  const env = {
    PATH: [join(root, 'bin'), process.env.PATH].join(delimiter),
    CURL_HOME: folder,
    GITHUB_ACTIONS: '',
    WORKFLOW_BASE_URL: `${server.url}${VERSION}`,
    WORKFLOW_API_KEY: 'wk_example',
    ...Object.fromEntries(['READ_ONLY_KEY', 'OTHER_KEY', 'HOBBY_KEY'].map((name) => [name, 'wk_reader'])),
  }
  const local = (code: string) =>
    code
      .replaceAll(ADDRESS, () => (code.includes('--har') ? RECORDED : server.url))
      .replaceAll('/run/secrets/', '')
      .replaceAll('--port 4010', '--port 0')
      .replaceAll(/\b(?:run_8Zt4Lm2c|any-id)\b/g, 'run_1')
      .replaceAll(/\b(?:key_valid|any-key)\b|(?<=KEY=)…/g, 'wk_example')
  /** Brings the files that a block names: forms of the document, a recording, and those that the guide shows or says to save. */
  const has = async ({ code, guide }: Pick<Block, 'code' | 'guide'>) => {
    const written = [...code.matchAll(/(?:-o|--(?:output|report|junit|html|markdown)) (\S+)|> (\S+)/g)].map(
      ([, option, redirected]) => option ?? redirected,
    )
    for (const [file] of code.matchAll(/(?<=[ =])[\w./-]+\.(?:ya?ml|json|mjs|mts|js|py|go|har|sh)\b/g)) {
      if (written.includes(file)) continue
      await mkdir(join(folder, file, '..'), { recursive: true })
      const form = join(repository, 'generated', file.replace(/.*generated\//, ''))
      if (existsSync(form)) await copyFile(form, join(folder, file))
      else if (file.endsWith('.har'))
        await writeFile(join(folder, file), code.includes('--baseline') ? FAULTY : RECORDING)
      else if (file.endsWith('.json'))
        await writeFile(join(folder, file), /```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? '')
      else expect(guide.includes(`\`${file}\``), `${file} is neither in the package nor named in the guide`).toBe(true)
    }
  }
  return { folder, env, local, has, run: (code: string) => finish('bash', ['-ec', local(code)], folder, env) }
}

const ADDRESS = /https:\/\/(?:staging\.)?workflow-automation\.example|http:\/\/(?:127\.0\.0\.1|localhost|workflow):\d+/g
const RECORDING = await readFile(join(repository, 'test/fixtures/recordings/redocly-proxy.har'), 'utf8')
const [RECORDED = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(RECORDING) ?? []
/** With the faults that the guide lists as known: local time, and 403 in the place of 401. */
const FAULTY = RECORDING.replaceAll(/(started_at\\":\\"[^"]+)Z/g, '$1').replaceAll('"status":401', '"status":403')

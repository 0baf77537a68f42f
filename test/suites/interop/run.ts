import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { emitDocuments } from '../../../scripts/emit/openapi.js'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { listen } from '../../../src/tools/sandbox/port/index.js'
import { startProxy } from './proxy.js'
import { install, type Tool, Unavailable, versionOf, workshop } from './tools.js'

/** A line of the table. */
export interface Result {
  name: string
  version: string
  does: string
  /** The form of the document that it read; undefined for what reads none. */
  file?: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** Why it was skipped. */
  reason?: string
  /** What the tool printed; not saved. */
  detail?: string
}

/** What is put before the tools. */
export interface Subject {
  /** The project's folder. */
  root: string
  /** The contract, a YAML file. */
  document: string
}

/** What every program does. */
const CALLS = 'generates, compiles, calls the sandbox, and again with unknown fields'

/** A form of the document in a command. */
const FORM = /openapi[\w.-]*\.(?:yaml|json)/

/** The longest that one command may take, in ms. */
const LIMIT = 600_000

const exec = promisify(execFile)

/** Installs a tool, runs its commands, and its program against the sandbox and through the proxy. */
export async function runTool(subject: Subject, tool: Tool): Promise<Result> {
  const { root } = subject
  const { name, commands, program, does = CALLS } = tool
  const file = tool.file ?? FORM.exec(commands.join(' '))?.[0]
  const version = await versionOf(root, tool)
  const result = { name, version, does, ...(file && { file }) }
  try {
    const path = await install(root, tool)
    const folder = await workFolder(subject, tool, path)
    const sandbox = createSandbox({ plan: false, speed: program ? 50 : 1, seed: 1 })
    const server = await listen(sandbox, { port: 0 })
    const proxy = await startProxy(sandbox)
    const environment = (baseUrl: string) => ({
      ...process.env,
      PATH: [...path, process.env.PATH].join(delimiter),
      REDOCLY_TELEMETRY: 'off',
      BASE_URL: baseUrl,
      API_KEY: sandbox.keys.valid,
      LIMITED_KEY: sandbox.keys.limited,
      PLAYBOOK: sandbox.playbooks.needsApproval,
      ROOT: root,
    })
    try {
      for (const command of commands) await shell(command, folder, environment(server.baseUrl))
      if (program) {
        await shell(program, folder, environment(server.baseUrl))
        await shell(program, folder, environment(proxy.baseUrl))
      }
    } finally {
      await proxy.close()
      await server.close()
    }
    return { ...result, outcome: 'passed' }
  } catch (error) {
    if (error instanceof Unavailable)
      return { ...result, outcome: 'skipped', reason: error.message, detail: error.printed }
    return { ...result, outcome: 'failed', detail: (error as Error).message }
  }
}

/** An empty folder with the contract, the tool's program and its lock file, and the packages that it may import. */
async function workFolder({ root, document }: Subject, { name }: Tool, path: string[]): Promise<string> {
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  const folder = join(await workshop(root), 'work', id)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const forms = emitDocuments({ document: parse(await readFile(document, 'utf8')) })
  for (const [file, text] of Object.entries(forms)) await writeFile(join(folder, file), text)
  for (const files of ['programs', '../../fixtures/interop'].map((own) => join(import.meta.dirname, own, id)))
    if (existsSync(files)) await cp(files, folder, { recursive: true })
  const packages = path.find((each) => each.endsWith('node_modules/.bin'))
  if (packages) await symlink(dirname(packages), join(folder, 'node_modules'))
  return folder
}

/** @throws Error with the command and the end of what it printed */
async function shell(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  await exec('sh', ['-c', command], { cwd, env, timeout: LIMIT, maxBuffer: 64 * 1024 * 1024 }).catch((error) => {
    const printed = `${error.stdout ?? ''}\n${error.stderr ?? ''}`.trim().split('\n').slice(-20).join('\n')
    throw new Error(`${command}\n${error.killed ? `stopped after ${LIMIT / 1000} s\n` : ''}${printed}`)
  })
}

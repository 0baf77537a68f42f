import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build, type Plugin } from 'esbuild'
import { workshop } from '../matrix/tools.js'
import { repository } from '../support/project.js'

const exec = promisify(execFile)

/** The last release of each version of React Native that the guide says something about. */
export const VERSIONS = [
  ...['0.76.9', '0.79.7', '0.80.3', '0.81.6', '0.82.1', '0.83.10', '0.84.1', '0.85.3', '0.86.3', '0.87.1', '0.88.1'],
]

const FOLDER = join(workshop(repository), 'react-native')

const PRESET_FOLDER = join(FOLDER, 'preset')

/** The preset that Metro transpiles every module of an app with, those of packages included. */
const PRESET = { '@babel/core': '7.28.5', '@react-native/babel-preset': '0.88.1' }

/** The packages that the network of React Native is made from. Its other dependencies are of native code and views. */
const DEPENDENCIES =
  /^(abort-controller|base64-js|event-target-shim|flow-enums-runtime|invariant|nullthrows|whatwg-fetch)$/

/** The parts of its package that are JavaScript. */
const SOURCES = ['package.json', 'Libraries', 'src'].map((name) => `package/${name}`)

/** A script with the network of a version of React Native, which is kept in `.matrix/`. */
export async function networkOf(version: string): Promise<string> {
  const folder = join(FOLDER, version)
  const bundled = join(folder, 'network.js')
  if (!existsSync(bundled)) {
    await Promise.all([installPreset(), installSources(version, folder)])
    await writeFile(bundled, await bundle(NETWORK, folder))
  }
  return await readFile(bundled, 'utf8')
}

const NETWORK = `
  require('react-native/Libraries/Core/setUpGlobals')
  require('react-native/Libraries/Core/setUpNavigator')
  require('react-native/Libraries/Core/setUpXHR')
  const emitter = require('react-native/Libraries/EventEmitter/RCTDeviceEventEmitter')
  globalThis.emitter = emitter.default ?? emitter`

/** A script with `program.ts` and the client that has been built. */
export async function programScript(): Promise<string> {
  await installPreset()
  return await bundle(`globalThis.program = require('./program')`, import.meta.dirname)
}

/** Bundles as Metro does: all modules are transpiled, those of packages included. */
async function bundle(contents: string, resolveDir: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    ...{ bundle: true, write: false, format: 'iife', platform: 'browser', target: 'es2022' },
    mainFields: ['react-native', 'browser', 'main'],
    resolveExtensions: ['.ios.js', '.native.js', '.js', '.ts', '.json'],
    define: { global: 'globalThis', __DEV__: 'false', 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
    plugins: [transpile()],
  })
  return outputFiles[0]!.text
}

function transpile(): Plugin {
  const require = createRequire(join(PRESET_FOLDER, 'package.json'))
  const { transformAsync } = require('@babel/core')
  const preset = require.resolve('@react-native/babel-preset')
  return {
    name: 'react-native',
    setup({ onLoad }) {
      onLoad({ filter: /\.(js|ts)$/ }, async ({ path }) => {
        const code = await readFile(path, 'utf8')
        // esbuild takes the modules of this package, whose type is "module", as they are.
        const own = { enableBabelRuntime: false, disableImportExportTransform: !path.startsWith(FOLDER) }
        const options = { filename: path, presets: [[preset, own]], babelrc: false, configFile: false, compact: false }
        const result = await transformAsync(code, { ...options, caller: { name: 'metro', platform: 'ios' } })
        return { contents: result.code, loader: 'js' as const }
      })
    },
  }
}

let preset: Promise<void> | undefined
/** Installed once, also when two scripts are bundled at the same time. */
const installPreset = () => {
  preset ??= install(PRESET_FOLDER, PRESET)
  return preset
}

async function installSources(version: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { stdout } = await exec('npm', ['pack', `react-native@${version}`, '--silent'], { cwd: folder })
  const tarball = join(folder, stdout.trim())
  await exec('tar', ['xzf', tarball, ...SOURCES], { cwd: folder })
  await rm(tarball)
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8'))
  const needed = Object.entries<string>(dependencies).filter(([name]) => DEPENDENCIES.test(name))
  await install(folder, Object.fromEntries(needed))
  await rename(join(folder, 'package'), join(folder, 'node_modules/react-native'))
}

async function install(folder: string, dependencies: Record<string, string>): Promise<void> {
  const marker = join(folder, 'installed')
  if (existsSync(marker)) return
  await rm(join(folder, 'node_modules'), { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--legacy-peer-deps']
  await exec('npm', ['install', ...quiet], { cwd: folder })
  await writeFile(marker, '')
}

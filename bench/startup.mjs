// How long does a process wait before it can use the package, and how long with its peers?
//
//     npm run build && npm --prefix bench ci && node bench/startup.mjs [rounds]
//
// Measured is the time of a whole process that imports a module, less that of one that imports nothing, in turns. Limits: the client
// at most half of openai, the sandbox command ready to print its help within 0.2 of Prism's.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const ROUNDS = Number(process.argv[2] ?? 15)
const here = (file) => fileURLToPath(new URL(file, import.meta.url))
const prism = createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js')
const imports = (module) => ['--input-type=module', '--eval', module && `await import(${JSON.stringify(module)})`]
const PROCESSES = {
  nothing: imports(''),
  'the client': imports(here('../dist/src/index.js')),
  'the service kit': imports(here('../dist/src/tools/service/index.js')),
  'the sandbox': imports(here('../dist/src/tools/sandbox/index.js')),
  'openapi-fetch': imports('openapi-fetch'),
  ky: imports('ky'),
  openai: imports('openai'),
  fastify: imports('fastify'),
  'sandbox --help': [here('../dist/src/tools/cli/index.js'), 'sandbox', '--help'],
  'prism mock --help': [prism, 'mock', '--help'],
}

const times = Object.fromEntries(Object.keys(PROCESSES).map((name) => [name, []]))
for (let round = -1; round < ROUNDS; round++)
  for (const [name, args] of Object.entries(PROCESSES)) {
    const from = performance.now()
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${name}: ${stderr}`)
    if (round >= 0) times[name].push(performance.now() - from)
  }
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
const own = (name) => median(times[name].map((time, round) => time - times.nothing[round]))
for (const name of Object.keys(PROCESSES)) console.log(`${name.padEnd(20)} ${own(name).toFixed(0).padStart(5)} ms`)
for (const [name, peer, most] of [
  ['the client', 'openai', 0.5],
  ['sandbox --help', 'prism mock --help', 0.2],
]) {
  const ratio = own(name) / own(peer)
  if (ratio > most) process.exitCode = 1
  console.log(`${ratio <= most ? 'ok  ' : 'MISS'} ${name}, times ${peer}, at most ${most}: ${ratio.toFixed(2)}`)
}

/**
 * `npm run suite -- NAME [arguments]`: installs the packages of test/, builds, and runs tests that take longer than a change should wait for. Without a
 * name it lists them. `test/README.md` says what belongs where.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'

interface Suite {
  /** How long it takes on two idle cores, without what it downloads the first time. */
  minutes: number
  about: string
  command: string
}

const vitest = (project: string) => `vitest run --project ${project}`
const script = (file: string) => `node --import tsx test/suites/${file}`

const SUITES: Record<string, Suite> = {
  stories: {
    minutes: 8,
    about: 'whole builds, the site, the console, Prism, broken services',
    command: vitest('stories'),
  },
  surroundings: {
    minutes: 1,
    about: "the client with users' libraries, proxies, HTTP/2 and a browser",
    command: vitest('surroundings'),
  },
  redis: {
    minutes: 1,
    about: 'the shared limiter on a real server (redis-server, or REDIS_SERVER)',
    command: vitest('redis'),
  },
  matrix: {
    minutes: 2,
    about: 'the packed package on every runtime, compiler and package manager; --all packs a clone, too',
    command: script('matrix/index.ts'),
  },
  rehearsal: {
    minutes: 7,
    about: 'changes of the contract in copies of the project; a name runs one',
    command: script('rehearsal/index.ts'),
  },
  nodes: {
    minutes: 5,
    about: 'the fast tests on Node 22 and 24; --examples adds the examples',
    command: script('matrix/nodes.ts'),
  },
  majors: {
    minutes: 6,
    about: 'the majors of ky, MSW, Prism, orval and kubb that users get; a name runs one',
    command: script('matrix/majors.ts'),
  },
  next: { minutes: 4, about: 'a page that waits for a run, with Next.js 14 and 16', command: script('next/index.ts') },
  libraries: { minutes: 3, about: "users' programs with each version of openapi-fetch", command: vitest('libraries') },
  interop: {
    minutes: 30,
    about: 'linters, validators and generators of others; --quick for the fast ones, a name for one',
    command: script('interop/index.ts'),
  },
  peers: {
    minutes: 5,
    about: 'NAME CHECKOUT: the tests of ky, ofetch or openapi-fetch over this client',
    command: script('peers/index.ts'),
  },
  examples: {
    minutes: 3,
    about:
      'each project of examples/, with the packed package and what else it installs; the provider over PostgreSQL and PgBouncer',
    command: vitest('examples'),
  },
  long: {
    minutes: 2,
    about:
      'services with odd values and very many items, announced times, a console that stays open: they have found nothing lately',
    command: vitest('long'),
  },
  release: {
    minutes: 6,
    about: 'whole releases in copies of the project, and the site below a path',
    command: vitest('release'),
  },
  restarts: {
    minutes: 16,
    about: 'verify --rate-limit while the database of a service restarts',
    command: script('restarts/index.ts'),
  },
  detection: {
    minutes: 30,
    about: 'which broken services verify fails, and that it fails no honest one',
    command: vitest('detection'),
  },
  mutation: {
    minutes: 600,
    about: 'small changes of the code that no test notices; a name runs one area',
    command: script('mutation/index.ts'),
  },
}

function main([name, ...args]: string[]): number {
  const suite = SUITES[name ?? '']
  if (!suite) {
    if (name) process.stderr.write(`Unknown suite "${name}".\n\n`)
    process.stdout.write('npm run suite -- NAME [arguments]\n\n')
    for (const [name, { minutes, about }] of Object.entries(SUITES))
      process.stdout.write(`${name.padEnd(14)}${`${minutes} min`.padStart(7)}  ${about}\n`)
    return name ? 2 : 0
  }
  const installed = 'test/node_modules/.package-lock.json'
  const isStale = !existsSync(installed) || statSync(installed).mtimeMs < statSync('test/package-lock.json').mtimeMs
  const run = (command: string, more: string[] = []) => {
    const [program = '', ...rest] = command.split(' ')
    return spawnSync(program, [...rest, ...more], { stdio: 'inherit' }).status ?? 1
  }
  if (isStale && run('npm ci --prefix test --no-audit --no-fund')) return 1
  return run('npm run --silent build') || run(suite.command, args)
}

process.exitCode = main(process.argv.slice(2))

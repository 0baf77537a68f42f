import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type ConformanceOptions, checkConformance, type Depth } from '../../../src/tools/conformance/index.js'
import type { Service } from '../../../src/tools/service/index.js'
import { type Trial, tryService } from '../../conformance/service.js'
import { writeModule } from '../../service/guide.js'
import { VERSION } from '../../support/fixtures.js'
import { repository } from '../../support/project.js'

vi.setConfig({ testTimeout: 60_000 })

/** Notes what a check announces and how long it waits, in ms. */
function watch() {
  const seen = { announced: 0, waited: 0 }
  const onProgress: ConformanceOptions['onProgress'] = (progress) => {
    if (progress.type === 'plan') seen.announced = progress.duration
    if (progress.type === 'wait') seen.waited += progress.ms
  }
  return { seen, onProgress }
}

function expectWithinFactorOfTwo({ announced, waited }: { announced: number; waited: number }): void {
  expect(waited).toBeLessThanOrEqual(2 * announced)
  expect(waited).toBeGreaterThanOrEqual(announced / 2)
}

it.each<[depth: Depth, what: string, trigger?: Trial['trigger']]>([
  ['quick', 'runs that succeed', 'succeeds'],
  ['quick', 'runs that fail', 'fails'],
  ['normal', 'no runs'],
  ['normal', 'runs that succeed', 'succeeds'],
  ['normal', 'runs that fail', 'fails'],
  // How long a person takes to approve cannot be announced: at the depth quick it is most of the time.
  ['normal', 'runs that are approved', 'needsApproval'],
  ['thorough', 'runs that succeed', 'succeeds'],
])('at the depth %s verify waits within a factor of two of what it announces, with %s', async (depth, _, trigger) => {
  const { seen, onProgress } = watch()
  await tryService(undefined, { ...(trigger && { trigger }), options: { depth, onProgress } })
  expectWithinFactorOfTwo(seen)
})

it.each([undefined, 'pro'] as const)(
  'with the rate limit and the plan %s verify waits within a factor of two of what it announces',
  async (plan) => {
    const { seen, onProgress } = watch()
    await tryService(undefined, { rateLimit: true, latency: 5, options: { depth: 'quick', plan, onProgress } })
    expectWithinFactorOfTwo(seen)
  },
)

let folder: string
beforeEach(async () => {
  await mkdir(join(repository, 'test/.build'), { recursive: true })
  folder = await mkdtemp(join(repository, 'test/.build/announced-'))
})
afterEach(async () => {
  vi.useRealTimers()
  await rm(folder, { recursive: true })
})

it.each(['quick', 'normal'] as const)(
  'at the depth %s verify waits within a factor of two of what it announces for the provider in Hono',
  async (depth) => {
    const file = join(folder, 'service.ts')
    await writeModule(file, await readFile(join(repository, 'examples/provider-hono/app.ts'), 'utf8'))
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    const { service }: { service: Service } = await import(pathToFileURL(file).href)
    const { seen, onProgress } = watch()
    const { summary } = await checkConformance({
      ...{ depth, onProgress, trigger: 'pb_welcome', baseUrl: `http://service.test${VERSION}` },
      ...{ apiKey: 'key_demo', readOnlyKey: 'key_reader' },
      fetch: (url, init) => service.fetch(new Request(url as string, init)),
      clock: {
        now: () => performance.now(),
        date: () => Date.now(),
        sleep: async (ms) => void vi.advanceTimersByTime(ms),
      },
    })
    expect(summary.fail).toBe(0)
    expectWithinFactorOfTwo(seen)
  },
)

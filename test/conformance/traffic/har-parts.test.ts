import { describe, expect, it } from 'vitest'
import { checkTraffic, type Report } from '../../../src/tools/conformance/index.js'
import { ids } from '../service.js'
import { BASE_URL, entryOf, run } from './recording.js'

/** How much of a file is read at once, in bytes. */
const PART = 4 * 2 ** 20

const pollOf = (id: string, at: number, changes: object = {}, comment?: string) =>
  entryOf({ path: `/runs/${id}`, body: run({ id, ...changes }), at, entry: { comment } })
const LATER = { started_at: '2026-11-21T09:30:00Z' }

const check = (har: string | Blob | object): Promise<Report> => checkTraffic({ har, baseUrl: BASE_URL })

/** The report on a file that is read in parts, beside that on the same archive when it was parsed as a whole. */
const bothOf = async (text: string) => [await check(new Blob([text])), await check(JSON.parse(text))] as const

/** A file, how often it was read, and how much of it at most at once, in bytes. */
function watched(text: string) {
  const file = new Blob([text])
  const seen = {
    reads: 0,
    longest: 0,
    size: file.size,
    slice: (from: number, to: number) => {
      seen.reads++
      seen.longest = Math.max(seen.longest, to - from)
      return file.slice(from, to)
    },
  }
  return seen
}

/** A run whose `started_at` changes, which contradicts A51 if both entries are read. */
const ENTRIES = [pollOf('run_1', 1), pollOf('run_1', 2, LATER)]

describe('a recording that is read in parts', () => {
  it('any character, also one of several bytes, may stand at the end of a part', async () => {
    const json = '[{"a\\"}],":["\\\\","entries"]},{"b":{}},"👩‍💻"]'
    const [before, after] = ['{"log":{"entries":[{"comment":"', '","request":{},"_json":']
    const end = `},${ENTRIES.map((entry) => JSON.stringify(entry)).join()}]}}`
    const length = new TextEncoder().encode(json).length
    const [expected] = await bothOf(before + after + json + end)
    for (let offset = 0; offset <= length; offset++) {
      const filler = 'x'.repeat(PART - before.length - after.length - offset)
      const { findings } = await check(new Blob([before + filler + after + json + end]))
      expect(findings, `${offset} bytes before the end of the part`).toEqual(expected.findings)
    }
  })

  it('a string may be longer than a part, and the file is still read in parts', async () => {
    const comment = 'x'.repeat(2.5 * PART)
    const others = [0, 0.1, 0.2].map((at) => pollOf('run_2', at, {}, comment))
    const text = JSON.stringify({ log: { comment, entries: [...others, ...ENTRIES] } })
    const file = watched(text)
    const [inParts, asWhole] = [await check(file), await check(JSON.parse(text))]
    expect(inParts.requests).toBe(5)
    expect(inParts.findings).toEqual(asWhole.findings)
    expect(file.longest).toBeLessThan(0.6 * file.size)
  })

  it('objects named entries elsewhere in the archive are no entries of it', async () => {
    const pages = [{ entries: [{ entries: [] }], title: '"entries":[{' }]
    const [inParts, asWhole] = await bothOf(JSON.stringify({ entries: [{}], log: { pages, entries: ENTRIES } }))
    expect(inParts.requests).toBe(2)
    expect(inParts.findings).toEqual(asWhole.findings)
  })

  it.each([
    ['a second archive', JSON.stringify({ log: { entries: ENTRIES } })],
    ['further brackets', '}]}'],
    ['a word, far behind', `${' '.repeat(PART)}word\n`],
    ['an end that is missing', -1],
  ])('%s after the archive is refused, and not ignored', async (_, more) => {
    const text = JSON.stringify({ log: { entries: ENTRIES, comment: '}' } })
    const har = typeof more === 'string' ? text + more : text.slice(0, more)
    await expect(check(new Blob([har]))).rejects.toThrow(/^The recording (is not JSON|ends too early), near line 1\./)
  })

  it('white space and further properties may follow the entries, also some that are named entries', async () => {
    const archive = {
      log: { entries: ENTRIES, entriesOf: [], _more: 'entries', _list: [{}] },
      _more: { entries: [{}] },
    }
    const [inParts, asWhole] = await bothOf(`${JSON.stringify(archive)}\r\n\t ${' '.repeat(PART)}`)
    expect(inParts.requests).toBe(2)
    expect(inParts.findings).toEqual(asWhole.findings)
  })

  it('two exports that were joined are read in the order of time, and no part of the file for each entry', async () => {
    const comment = 'x'.repeat(PART / 32)
    const odd = (at: number) => pollOf('run_1', at, {}, comment)
    const times = Array.from({ length: 200 }, (_, at) => at)
    const entries = [...times.filter((at) => at % 2 === 0), ...times.filter((at) => at % 2 === 1)].map(odd)
    const file = watched(JSON.stringify({ log: { entries } }))
    const report = await check(file)
    expect({ failed: ids(report, 'fail'), requests: report.requests }).toEqual({ failed: [], requests: 200 })
    // The file is gone through to find its entries, to see which ones belong to the contract, and to check these.
    expect(file.reads).toBeLessThan(4 * Math.ceil(file.size / (PART / 2)))
    expect(file.longest).toBeLessThan(0.5 * file.size)
  })
})

describe('a recording with very many runs', () => {
  const recordingOf = (others: number) => {
    const between = Array.from({ length: others }, (_, index) => `run_a${index}`)
    const entries = [
      pollOf('run_1', 0),
      ...between.map((id, index) => pollOf(id, index + 1)),
      pollOf('run_1', others + 1, LATER),
    ]
    return check({ log: { entries } })
  }

  it('a run whose started_at changes contradicts A51 when up to 4,999 others were read meanwhile', async () => {
    expect(ids(await recordingOf(4_999), 'contradicted')).toEqual(['A51'])
  })

  it('a run is followed no longer when 5,000 others were read meanwhile, so that the memory stays bounded', async () => {
    expect(ids(await recordingOf(5_000), 'contradicted')).toEqual([])
  })
})

/**
 * How long does it take, and how much memory, to check a recording of 300 MB, or of as many bytes as are given?
 *
 *     npm run build && node bench/recordings.mjs [bytes]
 *
 * Limit: 60 s for 300 MB, or 160,000 requests, in a command that runs once for a recording; no peer does it. Each in its own
 * process. The strings have characters outside Latin-1, which doubles their memory.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BASE_URL = 'https://api.example.com/v1'
const [, , bytes = '300e6', recording] = process.argv
const SIZE = Number(bytes)
const MAX_TIME = SIZE / 5_000

if (recording) {
  const { checkTraffic } = await import('../dist/src/tools/conformance/index.js')
  const from = performance.now()
  const har = readFileSync(recording)
  const report = await checkTraffic({ har, baseUrl: BASE_URL })
  const requests = report.passed && report.requests
  const [time, memory] = [performance.now() - from, process.resourceUsage().maxRSS * 1024]
  console.log(JSON.stringify({ time, memory, requests }))
} else {
  const folder = mkdtempSync(join(tmpdir(), 'har-'))
  let missed = false
  try {
    for (const [name, entry] of Object.entries({ 'long lists': list, 'many polls': poll, 'many runs': run })) {
      const file = join(folder, 'recording.har')
      const entries = record(file, entry)
      const args = [import.meta.filename, bytes, file]
      const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
      const { time, memory, requests } = JSON.parse(stdout)
      if (requests !== entries) throw new Error(`${requests} of ${entries} requests were checked and passed`)
      missed ||= time > MAX_TIME
      const size = `${(statSync(file).size / 1e6).toFixed(0)} MB, ${entries} requests`
      console.log(
        `${name.padEnd(10)}   ${size.padEnd(22)}   ${(time / 1000).toFixed(1).padStart(4)} s (under ${MAX_TIME / 1000})   ${(memory / 1e6).toFixed(0)} MB`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  process.exitCode = missed ? 1 : 0
}

/** Writes entries until the file is large enough. Returns how many there are. */
function record(file, entry) {
  const to = openSync(file, 'w')
  writeSync(to, '{"log":{"version":"1.2","entries":[')
  let count = 0
  for (let size = 0; size < SIZE; count++) size += writeSync(to, (count ? ',\n' : '') + JSON.stringify(entry(count)))
  writeSync(to, ']}}')
  closeSync(to)
  return count
}

function list(number) {
  const data = Array.from({ length: 500 }, (_, index) => ({
    id: `pb_${index}`,
    name: `Étape → ${index}`,
    description: 'Réconcilie les commandes ✓'.repeat(4),
  }))
  return exchange(number, '/playbooks?page=1', { data, meta: { total: 500, page: 1, per_page: 500 } })
}

/** Each request reads another run. */
function run(number) {
  return poll(number, `run_${number}`)
}

function poll(number, id = `run_${number % 100}`) {
  const steps = Array.from({ length: 8 }, (_, index) => ({
    id: `step_${index}`,
    status: 'succeeded',
    capability: 'billing.créer→',
  }))
  return exchange(number, `/runs/${id}`, {
    id,
    status: 'running',
    playbook_id: 'pb_1',
    started_at: '2026-11-21T09:30:00Z',
    steps,
  })
}

function exchange(number, path, body) {
  const headers = ['date', 'server', 'vary', 'x-cache', 'etag', 'via'].map((name) => ({
    name,
    value: 'Sat, 21 Nov 2026 09:30:00 GMT',
  }))
  return {
    startedDateTime: new Date(1_795_253_400_000 + number * 61_000).toISOString(),
    time: 12.5,
    request: {
      method: 'GET',
      url: BASE_URL + path,
      headers: [...headers, { name: 'Authorization', value: 'Bearer key_valid' }],
    },
    response: {
      status: 200,
      headers: [...headers, { name: 'content-type', value: 'application/json' }],
      content: { mimeType: 'application/json', text: JSON.stringify(body) },
    },
  }
}

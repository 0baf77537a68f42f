/**
 * The documentation site: its size, how long its step of the build takes, and how soon its first heading shows in a
 * browser; medians of several rounds.
 *
 *     npx tsx bench/site.ts [rounds]
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { loadContract } from '../scripts/contract/load.js'
import { emitDocs } from '../scripts/emit/docs/index.js'
import { docs, openSite, root } from '../test/site/site.js'
import { median } from './table.js'

const rounds = Number(process.argv[2] ?? 5)
const site = await openSite()

async function measure(work: () => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const from = performance.now()
    await work()
    times.push((performance.now() - from) / 1000)
  }
  return median(times)
}

const stage = mkdtempSync(join(tmpdir(), 'bench-site-'))
const { signal } = new AbortController()
const built = await measure(async () => emitDocs(await loadContract(root), root, stage, join(stage, 'docs'), signal))
rmSync(stage, { recursive: true })
const shown = await measure(async () => {
  const page = await site.browser.newPage()
  await page.goto(site.url, { waitUntil: 'commit' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.close()
})
const page = readFileSync(join(docs, 'index.html'))
await site.close()

const row = (name: string, value: string, limit: string) =>
  console.log(`${name.padEnd(24)} ${value.padStart(10)}   ${limit}`)
row('the page', `${(page.length / 1e6).toFixed(2)} MB`, 'under 3 MB')
row('the page, gzipped', `${(gzipSync(page).length / 1e3).toFixed(0)} kB`, 'under 900 kB')
row('building it', `${built.toFixed(2)} s`, 'under 3 s')
row('first heading visible', `${shown.toFixed(2)} s`, 'under 2 s')

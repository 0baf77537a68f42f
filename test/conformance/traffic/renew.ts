/**
 * Renews the recordings after a change of the contract, as their recorders wrote them:
 *
 *     npx tsx test/conformance/traffic/renew.ts
 *
 * The requests of each are sent to a sandbox. A recorded body gets the properties that the response of the sandbox has, and
 * loses those that it has not; recorded values, ids and times stay. The version in paths
 * becomes today's. `playwright-attach.zip` is not renewed: record it again.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { protocol } from '../../../generated/contract.js'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { folder } from './recording.js'

interface Entry {
  startedDateTime: string
  request: { method: string; url: string; headers: { name: string; value: string }[]; postData?: { text?: string } }
  response: { status: number; content: { text?: string; size?: number; encoding?: string; _file?: string } }
}

const recordings = readdirSync(folder, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.har'))
for (const name of recordings) await renew(join(folder, name))
process.stdout.write(`Renewed ${recordings.length} recordings in ${folder}.\n`)

async function renew(file: string): Promise<void> {
  const text = readFileSync(file, 'utf8')
  const har: { log: { entries: Entry[] } } = JSON.parse(text)
  const sandbox = createSandbox({ plan: false })
  const runs = new Map<string, string>()
  const inOrder = [...har.log.entries].sort((one, other) => one.startedDateTime.localeCompare(other.startedDateTime))
  for (const { request, response } of inOrder) {
    request.url = request.url.replace(/\/v\d+\//, `${protocol.versionSegment}/`)
    const { content } = response
    const attachment = content._file && join(dirname(file), content._file)
    const recorded = attachment && existsSync(attachment) ? readFileSync(attachment, 'utf8') : content.text
    const chunks = content.encoding === 'base64' ? parsed(recorded) : undefined
    const before = chunks ? parsed(unzipped(chunks as string[])) : content.encoding ? undefined : parsed(recorded)
    if (before === undefined) continue
    const { pathname, search } = new URL(request.url)
    const path = pathname.replaceAll(/run_\w+/g, (id) => runs.get(id) ?? id)
    const key = request.headers.find((header) => header.name.toLowerCase() === 'authorization')?.value
    const isRefused = response.status === 401
    const sent = await sandbox.fetch(new URL(path, sandbox.baseUrl).href + search, {
      method: request.method,
      headers: {
        ...(!isRefused && { authorization: key ?? `Bearer ${sandbox.keys.valid}` }),
        ...(request.postData && { 'content-type': 'application/json' }),
      },
      ...(request.postData && { body: request.postData.text ?? '{"inputs":{}}' }),
    })
    if (sent.status !== response.status) continue
    const now = await sent.json()
    if (request.method === 'POST' && Object(before).id) runs.set(Object(before).id, now.id)
    const after = JSON.stringify(merged(before, now))
    if (after === JSON.stringify(before)) continue
    const zipped = chunks ? gzipSync(after) : undefined
    if (attachment) writeFileSync(attachment, after)
    else content.text = zipped ? JSON.stringify([zipped.toString('base64')]) : after
    if (content.size !== undefined && content.size > 0) content.size = (zipped ?? Buffer.from(after)).length
  }
  const indent = /^\{\n( +)/.exec(text)?.[1]
  const renewed = JSON.stringify(har, null, indent)
  if (renewed !== JSON.stringify(JSON.parse(text), null, indent)) writeFileSync(file, renewed)
}

/** Polly.js writes the chunks of a body that was compressed with gzip, each in base64. */
function unzipped(chunks: readonly string[]): string {
  return gunzipSync(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk, 'base64')))).toString()
}

function parsed(text: string | undefined): unknown {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** A recorded value with the properties of the one that the sandbox has in its place. */
function merged(before: unknown, now: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(now))
    return before.map((each, index) => merged(each, now[index] ?? now[0]))
  if (typeof before !== typeof now || now === null) return now === undefined ? before : now
  if (typeof now !== 'object' || Array.isArray(now) || Array.isArray(before)) return before
  const old = before as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(now as object).map(([name, value]) => [name, name in old ? merged(old[name], value) : value]),
  )
}

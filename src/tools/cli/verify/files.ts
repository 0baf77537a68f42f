import { open, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { parseJson } from '../../../internal/http/json.js'
import { wrong } from '../../conformance/errors.js'
import type { HarFile } from '../../conformance/har-file.js'
import {
  applyBaseline,
  type BaselineEntry,
  checkTraffic,
  type Report,
  updateBaseline,
} from '../../conformance/index.js'
import { checkBaseline } from '../../conformance/report/baseline.js'

export interface FileFlags {
  bodies: boolean
  failOn?: 'contradicted'
  failOnClient?: true
  baseline?: string
  updateBaseline?: true
}

/** A recording, its bodies in files beside it, and all these files. Only the folder of the recording is read. */
export async function readRecording(file: string) {
  const files: Record<string, string> = { 'the recording': file }
  const attachment = async (name: string) => {
    if (basename(name) !== name) return undefined
    files[`the body ${name}`] = join(dirname(file), name)
    return readFile(join(dirname(file), name)).catch(() => undefined)
  }
  const har = await harFile(file).catch((error: Error) => {
    throw wrong(`${file} cannot be read: ${error.message}. Give the file .har of a recording.`)
  })
  return { har, attachment, files }
}

/** A file that is read in parts. */
async function harFile(file: string): Promise<HarFile> {
  const handle = await open(file)
  try {
    // Fails for a folder.
    await handle.read({ buffer: new Uint8Array(1) })
    const { size } = await handle.stat()
    return { size, slice: (from, to) => ({ arrayBuffer: () => bytesOf(file, from, to) }) }
  } finally {
    await handle.close()
  }
}

async function bytesOf(file: string, from: number, to: number): Promise<ArrayBuffer> {
  const handle = await open(file)
  try {
    const buffer = new Uint8Array(to - from)
    await handle.read({ buffer, position: from })
    return buffer.buffer
  } finally {
    await handle.close()
  }
}

export async function checkRecording(file: string, baseUrl: string, flags: FileFlags): Promise<Report> {
  const { bodies, failOn, failOnClient } = flags
  const { har, attachment } = await readRecording(file)
  return checkTraffic({ har, baseUrl, attachment, bodies, failOn, failOnClient })
}

/** The baseline is read before anything is sent, so that a mistake in it shows at once. */
export async function readBaseline({ baseline: file, updateBaseline: update }: FileFlags): Promise<BaselineEntry[]> {
  if (file === undefined) return []
  try {
    const entries = parseJson((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''))
    if (entries === undefined) throw wrong(NO_JSON)
    checkBaseline(entries)
    return entries
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && update) return []
    if (code === 'ENOENT') throw wrong(`There is no ${file}. Give --update-baseline as well to write it.`)
    throw wrong(`${file}: ${message}`)
  }
}

export async function withBaseline(report: Report, baseline: BaselineEntry[], flags: FileFlags): Promise<Report> {
  if (flags.baseline === undefined) return report
  const applied = applyBaseline(report, baseline)
  if (!flags.updateBaseline) return applied
  const updated = updateBaseline(report, baseline)
  await writeFile(flags.baseline, `${JSON.stringify(updated, null, 2)}\n`)
  return applyBaseline(report, updated)
}

const NO_JSON =
  'it is not JSON. A baseline in YAML is converted with: npx yaml --json --single < baseline.yaml > baseline.json'

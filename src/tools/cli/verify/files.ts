import { readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { parseJson } from '../../../internal/http/json.js'
import { wrongOption } from '../../conformance/errors.js'
import type { BaselineEntry, Report } from '../../conformance/index.js'
import { refuseLarge } from '../../conformance/recorded/har-file.js'
import { applyBaseline, checkBaseline, updateBaseline } from '../../conformance/report/baseline.js'

export interface FileFlags {
  bodies: boolean
  failOn?: 'contradicted'
  failOnClient?: true
  baseline?: string
  updateBaseline?: true
}

/** Only the folder of the recording is read: bodies may be in files beside it. */
export async function checkRecording(file: string, baseUrl: string, flags: FileFlags): Promise<Report> {
  const { bodies, failOn, failOnClient } = flags
  const cannotBeRead = (error: Error) => {
    throw wrongOption(`${file} cannot be read: ${error.message}. Give the file .har of a recording.`)
  }
  const { size } = await stat(file).catch(cannotBeRead)
  refuseLarge(size, baseUrl)
  const har = await readFile(file).catch(cannotBeRead)
  const attachment = async (name: string) =>
    basename(name) === name ? readFile(join(dirname(file), name)).catch(() => undefined) : undefined
  const { checkTraffic } = await import('../../conformance/index.js')
  return checkTraffic({ har, baseUrl, attachment, bodies, failOn, failOnClient })
}

/** The baseline is read before anything is sent, so that a mistake in it shows at once. */
export async function readBaseline({ baseline: file, updateBaseline: update }: FileFlags): Promise<BaselineEntry[]> {
  if (file === undefined) return []
  try {
    const entries = parseJson((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''))
    if (entries === undefined) throw wrongOption(NO_JSON)
    checkBaseline(entries)
    return entries
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && update) return []
    if (code === 'ENOENT') throw wrongOption(`There is no ${file}. Give --update-baseline as well to write it.`)
    throw wrongOption(`${file}: ${message}`)
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

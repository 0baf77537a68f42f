import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  applyBaseline,
  type BaselineEntry,
  ConformanceError,
  checkTraffic,
  type Report,
  updateBaseline,
} from '../conformance/index.js'
import { formatYamlList, parseYamlList, YamlListError } from './yaml-list.js'

/** Bodies that the recorder put into files of their own stand beside the recording, and nowhere else. */
export async function checkRecording(
  file: string,
  baseUrl: string,
  { bodies, failOnClient }: { bodies: boolean; failOnClient?: true },
): Promise<Report> {
  const attachment = async (name: string) =>
    basename(name) === name ? readFile(join(dirname(file), name)).catch(() => undefined) : undefined
  const har = await readFile(file).catch((error: Error) => {
    throw new ConformanceError(
      'options',
      `${file} cannot be read: ${error.message}. Give the file .har of a recording.`,
    )
  })
  return checkTraffic({ har, baseUrl, attachment, bodies, failOnClient })
}

interface BaselineFlags {
  baseline?: string
  updateBaseline?: true
}

/** Read before anything is sent, so that a mistake in it shows at once. */
export async function readBaseline({ baseline: file, updateBaseline: update }: BaselineFlags): Promise<unknown[]> {
  if (file === undefined) return []
  try {
    return parseYamlList(await readFile(file, 'utf8'))
  } catch (error) {
    if (error instanceof YamlListError) throw new ConformanceError('options', `${file}: ${error.message}`)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    if (update) return []
    throw new ConformanceError('options', `There is no ${file}. Give --update-baseline as well to write it.`)
  }
}

export async function withBaseline(report: Report, entries: unknown[], flags: BaselineFlags): Promise<Report> {
  if (flags.baseline === undefined) return report
  const baseline = entries as BaselineEntry[]
  const applied = applyBaseline(report, baseline)
  if (!flags.updateBaseline) return applied
  const updated = updateBaseline(report, baseline)
  await writeFile(flags.baseline, HEAD + formatYamlList(updated))
  return applyBaseline(report, updated)
}

const HEAD = `# Failures that are known: verify --baseline reports them and does not fail. Give each a reason and, as
# expires: YYYY-MM-DD, a last day. verify --update-baseline writes this file; it keeps the reasons, and no comments.
`

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../support/project.js'

/** How a row of the guide begins, by what `differences` of the program finds. */
const ROWS = {
  partsThrow: 'the parts of a `URL` throw',
  pathnameEndsInSlash: '`pathname` ends in a slash',
  noReason: 'an aborted signal has no reason',
  noStream: 'redirects are followed, and responses have no stream',
}

/** Which differences the guide "In production" says that a version has. */
export function guideRows(version: string): Record<keyof typeof ROWS, boolean> {
  const guide = readFileSync(join(repository, 'docs/guides/in-production.md'), 'utf8')
  const rows = Object.entries(ROWS).map(([name, text]) => {
    const versions = guide.split('\n').find((line) => line.includes(`| ${text} |`))
    if (!versions) throw new Error(`The guide "In production" has no row "${text}".`)
    return [name, includes(versions.split('|')[1]!.trim(), minorOf(version))]
  })
  return Object.fromEntries(rows)
}

/** Whether a text such as "0.80 to 0.83", "up to 0.79" or "every version" includes a version. */
function includes(text: string, minor: number): boolean {
  if (text === 'every version') return true
  const [, from = '', to] = /^(?:up|0\.(\d+)) to 0\.(\d+)$/.exec(text) ?? []
  if (!to) throw new Error(`The guide "In production" has the versions "${text}", which cannot be compared.`)
  return minor >= Number(from) && minor <= Number(to)
}

const minorOf = (version: string): number => Number(version.split('.')[1])

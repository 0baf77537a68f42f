import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import type { Diagnostic } from '../diagnostics.js'
import { YAML_OPTIONS } from '../emit/openapi.js'

/** A release whose contract and types are kept as they were. */
export interface Release {
  /** `YYYY-MM-DD`, as in the header that pins a request. */
  date: string
  version: string
  /** SHA-256 of each frozen file, by its name. */
  files: Record<string, string>
}

const FOLDER = 'openapi/releases'
const INDEX = `${FOLDER}/index.yaml`

/** The frozen releases, oldest first. */
export function releasesOf(root: string): Release[] {
  const path = join(root, INDEX)
  return existsSync(path) ? (parse(readFileSync(path, 'utf8')) ?? []) : []
}

export const releaseDates = (root: string): string[] => releasesOf(root).map(({ date }) => date)

/** What is frozen of a release, by the ends of the files' names. */
export interface Frozen {
  /** The document. */
  yaml: string
  /** The declarations. */
  'types.txt': string
  /** What users rely on beside both. */
  'surface.yaml': string
  /** What has changed since the release before. */
  'changes.json': string
}

/** The path of a frozen file of a release. */
export const frozenPath = (root: string, date: string, kind: keyof Frozen): string =>
  join(root, FOLDER, `${date}.${kind}`)

/** Keeps files as those of a release. */
export function freeze(root: string, date: string, version: string, frozen: Partial<Frozen>): void {
  mkdirSync(join(root, FOLDER), { recursive: true })
  const contents = Object.fromEntries(Object.entries(frozen).map(([kind, text]) => [`${date}.${kind}`, text]))
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(root, FOLDER, name), text)
  const files = Object.fromEntries(Object.entries(contents).map(([name, text]) => [name, checksum(text)]))
  const comment = '# The frozen releases, written by `npm run release`. A frozen file never changes.\n'
  writeFileSync(join(root, INDEX), comment + stringify([...releasesOf(root), { date, version, files }], YAML_OPTIONS))
}

/** The frozen files that are not what they were when they were frozen. */
export const frozenProblems = (root: string): Diagnostic[] =>
  releasesOf(root).flatMap(({ date, version, files }) =>
    Object.entries(files).flatMap(([name, expected]) => {
      const path = join(root, FOLDER, name)
      if (existsSync(path) && checksum(readFileSync(path, 'utf8')) === expected) return []
      const message = `The release ${version} of ${date} is frozen, and this file of it has changed. Put it back with "git checkout -- ${FOLDER}/${name}", and make a new release for a new contract.`
      return [{ file: `${FOLDER}/${name}`, rule: 'frozen', message }]
    }),
  )

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex')

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The folder that `make` fills, which is made again only when the fingerprint of what it is made of has changed. Whole or not
 * at all, also when the build is interrupted; what was made of earlier inputs is deleted.
 */
export async function kept(
  folder: string,
  fingerprint: string,
  make: (part: string) => Promise<void>,
): Promise<string> {
  const version = join(folder, fingerprint)
  if (existsSync(version)) return version
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await make(`${version}.part`)
  await rename(`${version}.part`, version)
  return version
}

/** A hash of every file of `folder`, of `files` (missing ones are skipped) and of `texts`. */
export function fingerprintOf(folder: string, files: readonly string[], texts: readonly string[] = []): string {
  const hash = createHash('sha256')
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  for (const path of entries.map(({ parentPath, name }) => join(parentPath, name)).sort())
    hash.update(path.slice(folder.length)).update(readFileSync(path))
  for (const file of files) if (existsSync(file)) hash.update(readFileSync(file))
  for (const text of texts) hash.update(text)
  return hash.digest('hex').slice(0, 16)
}

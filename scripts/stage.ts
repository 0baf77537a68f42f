import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'

/** A folder that a build writes to, so that nothing is half-written where others read. */
export interface Stage {
  folder: string
  /** Writes a file below the stage. */
  write(file: string, text: string): void
  /** Replaces the project's folders by the staged ones of the same name, all or none. */
  swapIn(names: string[]): void
  /** Removes the stage. Safe to call twice. */
  discard(): void
}

const WORKSHOP = '.build'

/** Opens a stage, after undoing a swap that an earlier build could not finish. */
export function openStage(root: string): Stage {
  recover(root)
  const workshop = join(root, WORKSHOP)
  mkdirSync(workshop, { recursive: true })
  const folder = mkdtempSync(join(workshop, 'stage-'))
  return {
    folder,
    write(file, text) {
      const path = join(folder, file)
      try {
        mkdirSync(join(path, '..'), { recursive: true })
        writeFileSync(path, text)
      } catch (error) {
        throw new Error(
          `${file} cannot be written (${(error as Error).message}). Make room on the disk and build again.`,
        )
      }
    },
    swapIn(names) {
      const previous = join(folder, 'previous')
      mkdirSync(previous)
      for (const name of names) if (existsSync(join(root, name))) renameSync(join(root, name), join(previous, name))
      for (const name of names) renameSync(join(folder, name), join(root, name))
    },
    discard() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A build that was killed in the middle of a swap has left the old folders in its stage. */
function recover(root: string): void {
  const workshop = join(root, WORKSHOP)
  if (!existsSync(workshop)) return
  for (const stage of readdirSync(workshop)) {
    const previous = join(workshop, stage, 'previous')
    if (!existsSync(previous)) continue
    for (const name of readdirSync(previous))
      if (!existsSync(join(root, name))) renameSync(join(previous, name), join(root, name))
  }
}

/** The files in which two folders differ, by path below them. */
export function differences(left: string, right: string): string[] {
  const names = new Set([...filesOf(left), ...filesOf(right)])
  return [...names].filter((name) => contentOf(join(left, name)) !== contentOf(join(right, name))).sort()
}

const filesOf = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .map((entry) => relative(folder, join(folder, String(entry))))
        .filter((entry) => statSync(join(folder, entry)).isFile())
    : []

const contentOf = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'latin1') : undefined)

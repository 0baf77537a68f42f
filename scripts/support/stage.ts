import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createSteps, type Output, type Steps } from './steps.js'

/** A folder that the steps of a command write to, so that nothing is half-written where others read. */
export interface Stage extends Steps, Disposable {
  folder: string
  /** Writes a file below the stage. */
  write(file: string, text: string): void
  /**
   * Replaces the folders that a build makes by the staged ones, all or none; then writes the guides that were filled in,
   * unless somebody has edited them since they were read. Returns the files that were edited.
   */
  swapIn(guides: FilledGuide[]): string[]
}

/** A page below `docs/guides/` as it was read, if it was there, and as the build fills it in. */
export interface FilledGuide {
  file: string
  before: string | undefined
  after: string
}

const WORKSHOP = '.build'
/** Below a stage: the folders that are being replaced. */
const PREVIOUS = 'previous'
const SWAPPED = ['generated', 'dist']

/**
 * Opens a stage, after undoing a swap that an earlier build could not finish. Its steps are stopped and its folder is
 * removed when it is disposed of or the process exits. The progress is not printed without an output.
 */
export function openStage(root: string, output: Output = { write: () => true }): Stage {
  recover(root)
  const workshop = join(root, WORKSHOP)
  mkdirSync(workshop, { recursive: true })
  const folder = mkdtempSync(join(workshop, 'stage-'))
  const steps = createSteps(output)
  const dispose = () => {
    process.off('exit', dispose)
    steps.stop()
    restore(root, folder)
    rmSync(folder, { recursive: true, force: true })
  }
  process.on('exit', dispose)
  return {
    ...steps,
    folder,
    write(file, text) {
      const path = join(folder, file)
      try {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text)
      } catch (error) {
        throw new Error(
          `${file} cannot be written (${(error as Error).message}). Make room on the disk and build again.`,
        )
      }
    },
    swapIn(guides) {
      for (const name of SWAPPED) move(root, join(folder, PREVIOUS), name)
      for (const name of SWAPPED) move(folder, root, name)
      // From here on the swap is complete, and the next build does not undo it.
      renameSync(join(folder, PREVIOUS), join(folder, 'replaced'))
      const edited: string[] = []
      for (const { file, before } of guides.filter(({ before, after }) => before !== after))
        if (readIfThere(join(root, file)) !== before) edited.push(file)
        else move(folder, root, file)
      return edited
    },
    [Symbol.dispose]: dispose,
  }
}

const readIfThere = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)

/** Restores what interrupted swaps moved away. */
function recover(root: string): void {
  const workshop = join(root, WORKSHOP)
  for (const stage of existsSync(workshop) ? readdirSync(workshop) : []) restore(root, join(workshop, stage))
}

/** Restores what the swap of a stage moved away, if it failed before its end. */
function restore(root: string, folder: string): void {
  const previous = join(folder, PREVIOUS)
  for (const name of SWAPPED.filter((each) => existsSync(join(previous, each)))) {
    rmSync(join(root, name), { recursive: true, force: true })
    move(previous, root, name)
  }
}

function move(from: string, to: string, name: string): void {
  mkdirSync(dirname(join(to, name)), { recursive: true })
  if (existsSync(join(from, name))) renameSync(join(from, name), join(to, name))
}

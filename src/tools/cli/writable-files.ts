import { constants } from 'node:fs'
import { access, lstat, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { wrong } from '../conformance/errors.js'

type Files = Readonly<Record<string, string | undefined>>

/** Checks before anything is done that each output can be written, and would not replace another file that was named. */
export async function checkOutputs(inputs: Files, outputs: Files): Promise<void> {
  const names = new Map<string, string>()
  for (const [name, file] of Object.entries(inputs)) if (file !== undefined) names.set(await identityOf(file), name)
  for (const [name, file] of Object.entries(outputs)) {
    if (file === undefined) continue
    if (file === '') throw wrong(`${name} names no file.`)
    await checkWritable(file)
    const identity = await identityOf(file)
    const other = names.get(identity)
    if (other) throw wrong(`${name} would write over ${file}, the file of ${other}. Name another file.`)
    names.set(identity, name)
  }
}

/** A file may have several names. */
const identityOf = (file: string): Promise<string> =>
  stat(file).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    () => resolve(file),
  )

async function checkWritable(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory()) throw wrong(`${file} cannot be written: it is a folder. Name a file in it.`)
  const folder = dirname(await realpath(file).catch(() => resolve(file)))
  const isWritable = (path: string) =>
    access(path, constants.W_OK).then(
      () => true,
      () => false,
    )
  if ((await isWritable(folder)) || (found && (await isWritable(file)))) return
  throw wrong(`${file} cannot be written: ${folder} is not a writable folder.`)
}

/** Writes all files, or leaves all as they were. A symbolic link stays, and what it names is written. */
export async function writeWhole(files: readonly (readonly [file: string, text: string])[]): Promise<void> {
  const written: { part?: string; to: string; text: string }[] = []
  try {
    for (const [file, text] of files) {
      const to = await realpath(file).catch(() => file)
      const part = `${to}.${process.pid}.part`
      const isBeside =
        !(await isPipeOrDevice(file, to)) && (await writeFile(part, text).then(() => true, unlessInPlace))
      written.push({ ...(isBeside && { part }), to, text })
    }
    for (const { part, to, text } of written)
      if (!part || !(await rename(part, to).then(() => true, unlessInPlace))) await writeFile(to, text)
  } finally {
    for (const { part } of written) if (part) await rm(part, { force: true })
  }
}

/** Whether a file is a pipe or a device, or a link to a file that does not exist yet: none can be replaced. */
const isPipeOrDevice = async (file: string, to: string): Promise<boolean> =>
  /^\/(dev|proc)\//.test(resolve(file)) || (await lstat(to).catch(() => undefined))?.isFile() === false

/** Whether a file can only be written in place: it is mounted alone, or its folder takes no other file. */
function unlessInPlace(error: NodeJS.ErrnoException): false {
  if (IN_PLACE.has(error.code ?? '')) return false
  throw error
}

const IN_PLACE = new Set(['EBUSY', 'EXDEV', 'EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ETXTBSY'])

import { constants } from 'node:fs'
import { access, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { wrongOption } from '../conformance/errors.js'

/** Checks, before a command begins its work, that the files of its options can be written. */
export async function checkOutputs(files: Readonly<Record<string, string | undefined>>): Promise<void> {
  for (const [option, file] of Object.entries(files)) {
    if (file === undefined) continue
    if (file === '') throw wrongOption(`${option} names no file.`)
    if ((await stat(file).catch(() => undefined))?.isDirectory())
      throw wrongOption(`${file} cannot be written: it is a folder. Name a file in it.`)
    const folder = dirname(resolve(file))
    const isWritable = (path: string) =>
      access(path, constants.W_OK).then(
        () => true,
        () => false,
      )
    if (!(await isWritable(folder)) && !(await isWritable(file)))
      throw wrongOption(`${file} cannot be written: ${folder} is not a writable folder.`)
  }
}

/**
 * Writes a file whole: beside it and renamed, or in place where that cannot be. A symbolic link stays.
 *
 * @throws ConformanceError that names the file
 */
export async function writeWhole(file: string, text: string): Promise<void> {
  const to = await realpath(file).catch(() => file)
  const part = `${to}.${process.pid}.part`
  try {
    // A pipe or a device cannot be replaced.
    if ((await stat(to).catch(() => undefined))?.isFile() === false) return await writeFile(to, text)
    await writeFile(part, text)
      .then(() => rename(part, to))
      .catch((error: NodeJS.ErrnoException) => {
        if (!IN_PLACE.has(error.code ?? '')) throw error
        return writeFile(to, text)
      })
  } catch (error) {
    throw wrongOption(`${file} cannot be written: ${(error as Error).message}.`)
  } finally {
    await rm(part, { force: true }).catch(() => {})
  }
}

/** A file that is mounted alone, or whose folder takes no other file, can only be written in place. */
const IN_PLACE = new Set(['EBUSY', 'EXDEV', 'EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ETXTBSY'])

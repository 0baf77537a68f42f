import { createReadStream } from 'node:fs'
import { UsageError } from '../exit.js'

/** In bytes: more than any key or input has, so that a device does not fill the memory. */
const LARGEST = 1024 * 1024

/**
 * The text of a file, or of standard input, without a byte order mark. A pipe is waited for, also one that does not block.
 *
 * @throws UsageError that names the option
 */
export async function readText(option: string, file: string | typeof STDIN): Promise<string> {
  const name = file === STDIN ? 'on standard input' : file
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of file === STDIN ? process.stdin : createReadStream(file)) {
      size += chunk.length
      if (size > LARGEST) break
      chunks.push(chunk)
    }
    if (size <= LARGEST) return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is not UTF-8' : (error as Error).message
    throw new UsageError(`${option}: the file ${name} cannot be read: ${reason}.`)
  }
  throw new UsageError(`${option}: the file ${name} has more than 1 MiB.`)
}

export const STDIN = Symbol('standard input')

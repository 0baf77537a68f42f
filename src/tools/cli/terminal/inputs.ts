import { UsageError } from '../exit.js'
import { readText, STDIN } from './read.js'

/**
 * The inputs of a run: those of `--inputs`, a JSON file or `-` for standard input, and each `--input`, which wins.
 *
 * @throws UsageError that names the input and shows the right form
 */
export async function readInputs(given: readonly string[] = [], file?: string): Promise<Record<string, string>> {
  const named = new Map<string, string>()
  for (const argument of given) {
    const at = argument.indexOf('=')
    if (at < 1)
      throw new UsageError(`--input ${JSON.stringify(argument)} has no ${at === 0 ? 'name' : '"="'}. ${EXAMPLE}`)
    const [name, value] = [argument.slice(0, at), argument.slice(at + 1)]
    if (named.has(name)) throw new UsageError(`--input ${name} is given twice. Give each input once.`)
    const isFile = value.startsWith('@') && !value.startsWith('@@')
    named.set(name, isFile ? await readText(`--input ${name}`, value.slice(1)) : value.replace(/^@@/, '@'))
  }
  return { ...(file === undefined ? {} : await fromFile(file)), ...Object.fromEntries(named) }
}

const EXAMPLE = 'Write --input order=42, or --input note=@note.txt for the text of a file.'

async function fromFile(file: string): Promise<Record<string, string>> {
  const text = await readText('--inputs', file === '-' ? STDIN : file)
  let inputs: unknown
  try {
    inputs = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--inputs ${file} is not JSON: ${(error as Error).message}.`)
  }
  if (typeof inputs !== 'object' || inputs === null || Array.isArray(inputs))
    throw new UsageError(`--inputs ${file} must be a JSON object of strings, such as {"order": "42"}.`)
  for (const [name, value] of Object.entries(inputs))
    if (typeof value !== 'string')
      throw new UsageError(`--inputs ${file}: ${JSON.stringify(name)} must be a string, such as "${String(value)}".`)
  return inputs as Record<string, string>
}

import { readFileSync } from 'node:fs'
import { UsageError } from './connection.js'

/**
 * The inputs of a run: those of `--inputs`, a JSON file or `-` for standard input, and each `--input`, which wins.
 *
 * @throws UsageError that names the input and shows the right form
 */
export function readInputs(given: readonly string[] = [], file?: string): Record<string, string> {
  const named = given.map(fromArgument)
  const twice = named.find(([name], at) => named.findIndex(([other]) => other === name) < at)
  if (twice) throw new UsageError(`--input ${twice[0]} is given twice. Give each input once.`)
  return { ...(file === undefined ? {} : fromFile(file)), ...Object.fromEntries(named) }
}

const EXAMPLE = 'Write --input order=42, or --input note=@note.txt for the text of a file.'

function fromArgument(argument: string): [name: string, value: string] {
  const at = argument.indexOf('=')
  if (at < 1)
    throw new UsageError(`--input ${JSON.stringify(argument)} has no ${at === 0 ? 'name' : '"="'}. ${EXAMPLE}`)
  const name = argument.slice(0, at)
  const value = argument.slice(at + 1)
  if (value.startsWith('@@')) return [name, value.slice(1)]
  return [name, value.startsWith('@') ? textOfFile(`--input ${name}`, value.slice(1)) : value]
}

function fromFile(file: string): Record<string, string> {
  const text = textOfFile('--inputs', file === '-' ? 0 : file)
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

/** A file as UTF-8, without a byte order mark; 0 is standard input. */
function textOfFile(option: string, file: string | 0): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is not UTF-8' : (error as Error).message
    throw new UsageError(`${option}: the file ${file === 0 ? 'on standard input' : file} cannot be read: ${reason}.`)
  }
}

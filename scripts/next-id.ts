import type { BasisEntry } from './contract/index.js'
import { REGISTER, readSource } from './contract/load.js'
import { exitWithError } from './support/diagnostics.js'

/** `npm run next-id`: the next free id of each kind of entry in the register. Ids of retired entries are not free. */
async function nextIds(root: string): Promise<void> {
  const register = ((await readSource(root)).get(REGISTER)?.parsed ?? []) as BasisEntry[]
  for (const kind of ['stated', 'observed', 'derived', 'assumed']) {
    const letter = kind.charAt(0).toUpperCase()
    const last = Math.max(0, ...register.filter(({ id }) => id.startsWith(letter)).map(({ id }) => Number(id.slice(1))))
    process.stdout.write(`${kind.padEnd(9)} ${letter}${String(last + 1).padStart(2, '0')}\n`)
  }
}

nextIds(process.cwd()).catch(exitWithError)

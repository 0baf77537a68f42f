#!/usr/bin/env node
import { CommanderError } from 'commander'
import { endOf } from './exit.js'
import { createProgram } from './program.js'
import { listenForSignals } from './signals.js'

listenForSignals()
const program = createProgram()
const [word = ''] = process.argv.slice(2)
const isKnown = word.startsWith('-') || ['help', ...program.commands.map((each) => each.name())].includes(word)
// Commander would print the help of the program for a command that there is not.
const args = isKnown ? process.argv : process.argv.filter((each) => each !== '--help' && each !== '-h')
await program.parseAsync(args).catch((error: unknown) => {
  if (error instanceof CommanderError) return endOf(error)
  throw error
})

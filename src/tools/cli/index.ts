#!/usr/bin/env node
import { EXIT } from './exit.js'
import { createProgram } from './program.js'

// A reader such as head closes the pipe early, which is not an error. Any other failure to write is one.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    if (stream === process.stdout) process.stderr.write(`The output could not be written: ${error.message}\n`)
    process.exit(EXIT.notPossible)
  })

await createProgram().parseAsync()

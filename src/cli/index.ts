#!/usr/bin/env node
import { Command } from 'commander'
import { mockCommand } from './mock.js'
import { manifest } from './package.js'
import { sandboxCommand } from './sandbox.js'
import { verifyCommand } from './verify.js'
import { worldCommand } from './world.js'

const program = new Command('workflow-automation')
  .description('Sandbox, mock and conformance check of the Workflow Automation Service.')
  .version(manifest.version)
  .showHelpAfterError()
  .addCommand(sandboxCommand())
  .addCommand(mockCommand())
  .addCommand(verifyCommand())
  .addCommand(worldCommand())
  .addHelpText(
    'after',
    `
Examples:
  workflow-automation sandbox --port 4010
  WORKFLOW_API_KEY=… workflow-automation verify https://workflow-automation.example/v1

Outside a project that has the package installed:
  npx --package ${manifest.name} workflow-automation <command>`,
  )

// A reader such as head closes the pipe early, which is not an error. Any other failure to write is one.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    if (stream === process.stdout) process.stderr.write(`The output cannot be written: ${error.message}\n`)
    process.exit(2)
  })

await program.parseAsync()

#!/usr/bin/env node
import { Command } from 'commander'
import { mockCommand } from './mock.js'
import { manifest } from './package.js'
import { sandboxCommand } from './sandbox.js'
import { verifyCommand } from './verify.js'

const program = new Command('workflow-automation')
  .description('The contract of the Workflow Automation Service at work.')
  .version(manifest.version)
  .showHelpAfterError()
  .addCommand(sandboxCommand())
  .addCommand(mockCommand())
  .addCommand(verifyCommand())

await program.parseAsync()

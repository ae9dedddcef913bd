#!/usr/bin/env node
// npx mainstay-auth: what `npm start` is in a checkout, with its data in the folder it is run in; with arguments the
// operators' command line. With NODE_ENV=production nothing is seeded and nothing stands in for the outside world.
import { existsSync } from 'node:fs'
import { requireSupportedNode } from '../dev/supported-node.mjs'

const TRIAL_DATA = 'mainstay-data'
/** They work on no installation. */
const ANYWHERE = ['help', '-V', '--version', 'users:convert']

await requireSupportedNode()
const args = process.argv.slice(2)
const isCommand = args.length > 0
const worksAnywhere = ANYWHERE.includes(args[0]) || args.includes('-h') || args.includes('--help')
if (isCommand && process.env.NODE_ENV === undefined && !worksAnywhere) chooseInstallation()
process.env.NODE_ENV ??= 'development'
const isProduction = process.env.NODE_ENV.trim() === 'production'
if (!isProduction) process.env.DATA_DIR ??= TRIAL_DATA

if (isCommand) await import('../dist/src/cli.js')
else if (isProduction) await import('../dist/src/main.js')
else await import('../dist/dev/main.js')

// A command that was meant for production must not do its work on what a trial has left here.
function chooseInstallation() {
  if (process.env.DATABASE_URL === undefined && existsSync(process.env.DATA_DIR ?? TRIAL_DATA))
    return console.error(
      `NODE_ENV is not set: this is about the trial in ${process.env.DATA_DIR ?? TRIAL_DATA}`,
    )
  console.error('Set NODE_ENV: production for your installation, development for a trial on this machine')
  process.exit(2)
}

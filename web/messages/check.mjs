// Part of npm run check: whether every language has every message, with the same values.
import { fileURLToPath } from 'node:url'
import { faultsOf, readMessages } from './messages.mjs'

// Those of all sites, and those of the operator console alone.
const folders = ['.', './operator/'].map(folder =>
  readMessages(fileURLToPath(new URL(folder, import.meta.url))),
)
const faults = folders.flatMap(faultsOf)
for (const fault of faults) console.log(fault)
process.exit(faults.length > 0 || folders.some(files => files.length < 2) ? 1 : 0)

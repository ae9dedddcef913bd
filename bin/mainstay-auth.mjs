#!/usr/bin/env node
// npx mainstay-auth: what `npm start` is in a checkout, with its data in the folder it is run in; with arguments the
// operators' command line. With NODE_ENV=production nothing is seeded and nothing stands in for the outside world.
import { requireSupportedNode } from '../dev/supported-node.mjs'

await requireSupportedNode()
process.env.NODE_ENV ??= 'development'
const isProduction = process.env.NODE_ENV.trim() === 'production'
if (!isProduction) process.env.DATA_DIR ??= 'mainstay-data'

if (process.argv.length > 2) await import('../dist/src/cli.js')
else if (isProduction) await import('../dist/src/main.js')
else await import('../dist/dev/main.js')

// node dev/on-supported-node.mjs <command> [args…]: runs a command on a Node that Mainstay supports.
import { spawn } from 'node:child_process'
import { endWith, requireSupportedNode } from './supported-node.mjs'

const [command, ...args] = process.argv.slice(2)
if (!command) {
  console.error('Usage: node dev/on-supported-node.mjs <command> [args…]')
  process.exit(2)
}
await requireSupportedNode()
await endWith(spawn(command, args, { stdio: 'inherit' }))

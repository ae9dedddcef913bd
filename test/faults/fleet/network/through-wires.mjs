// Loaded into a replica before the service (node --import): its connections to the ports of WIRES go through the
// ports that the test listens on instead, so that the test can cut this one process off.
import { Socket } from 'node:net'

const wires = JSON.parse(process.env.WIRES)
const connect = Socket.prototype.connect

Socket.prototype.connect = function (...args) {
  // Node calls itself with its arguments in a list: options first.
  const list = Array.isArray(args[0]) ? args[0] : args
  const wire = wires[list[0]?.port]
  if (wire) list[0] = { ...list[0], host: '127.0.0.1', port: wire }
  return connect.apply(this, args)
}

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER } from '../machine/machine.mjs'
import { onTheWire, Requests } from '../measure/load.mjs'

/** Requests that carry a token which counts once: the answer has the next. What is left after a load is sent in the next. */
export class RotatingRequests extends Requests {
  constructor(name, tokens, request, options) {
    super(name, tokens.map(request), { ...options, script: join(import.meta.dirname, 'rotating.lua') })
    this.tokens = tokens
    this.request = request
  }

  fileFor(server) {
    const file = join(FOLDER, `${this.name}-${server.name}.tokens`)
    const tokens = this.files.has(file) ? readFileSync(file, 'utf8') : this.tokens.join('\n')
    this.files.set(file, file)
    const placeholder = '_'.repeat(this.tokens[0].length)
    const template = onTheWire(this.request(placeholder), server.port).replace(placeholder, '@')
    writeFileSync(file, tokens)
    writeFileSync(`${file}.template`, template)
    return file
  }
}

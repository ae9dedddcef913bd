// Runs the module script of a page that has one form and one output: node page-stub.mjs <script> <email> <password>.
// As much of a browser as that script needs, beside what Node has.
import { pathToFileURL } from 'node:url'

const [, , script, email, password] = process.argv
const items = new Map()
globalThis.localStorage = {
  getItem: key => items.get(key) ?? null,
  setItem: (key, value) => items.set(key, value),
  removeItem: key => items.delete(key),
}
const form = { onsubmit: null }
const output = {
  set textContent(text) {
    console.log(text)
    if (text !== 'Logged out') process.exit(0)
    form.onsubmit({ preventDefault() {} })
  },
}
globalThis.FormData = class {
  *[Symbol.iterator]() {
    yield ['email', email]
    yield ['password', password]
  }
}
globalThis.document = { querySelectorAll: () => [form, output] }
await import(pathToFileURL(script).href)

import { createRequire } from 'node:module'
import { createContext } from 'node:vm'
import { LegacyFakeTimers, ModernFakeTimers } from '@jest/fake-timers'
import { Logger } from '@nestjs/common'
import { ModuleMocker } from 'jest-mock'
import { runsIn } from './tiers.mjs'

/** What Jest is given where it asks for a context to compile in: it stands for the realm of the process itself. */
const THIS_REALM = createContext()

// Jest takes this function from the module object at each call.
const vm = createRequire(import.meta.url)('node:vm')
const { compileFunction } = vm
vm.compileFunction = (source, parameters, { parsingContext, ...options }) =>
  compileFunction(
    source,
    parameters,
    parsingContext === THIS_REALM ? options : { parsingContext, ...options },
  )

/** Set by test/support/tiers.ts while tests are declared that bear a mark. */
const MARKS = Symbol.for('mainstay.marks')

/** Whether the tests that `onServers` marks can run: on the embedded database they would wait for themselves. */
const HAS_SERVERS = Boolean(process.env.TEST_POSTGRES_URL) && process.env.TEST_BACKEND !== 'embedded'

/** The state of Jest's own that belongs to one file. */
const OF_JEST = /^(EVENT_HANDLERS|JEST_STATE_SYMBOL|TEST_TIMEOUT_SYMBOL|RETRY_|LOG_ERRORS_|WAIT_BEFORE_)/

/** Listeners of the process that a file has added for what the later files use too, such as a browser. */
const KEPT_LISTENERS = Symbol.for('mainstay.kept-listeners')

/**
 * Runs the test files of a worker one after the other in the realm of its process, not each in one of its own, so that
 * they can share packages (runtime.mjs): those check `instanceof Date` and the like, which holds within a realm alone.
 * What a file leaves behind in the realm is taken away when it ends.
 */
export default class OneRealm {
  global = globalThis
  moduleMocker = new ModuleMocker(globalThis)
  before = remember()

  /** What each test is marked as. */
  marks = new WeakMap()

  constructor({ projectConfig: config }, { testPath }) {
    this.testPath = testPath
    // LOG_LEVEL=warn npm run test:quick -- <path> shows what the code says that has no service.
    if (!process.env.LOG_LEVEL) Logger.overrideLogger(false)
    const { global, moduleMocker } = this
    const timerConfig = { idToRef: id => id, refToId: timer => timer }
    this.fakeTimers = new LegacyFakeTimers({ config, global, moduleMocker, timerConfig })
    this.fakeTimersModern = new ModernFakeTimers({ config, global })
  }

  async setup() {}

  async teardown() {
    this.fakeTimers.dispose()
    this.fakeTimersModern.dispose()
    this.moduleMocker.restoreAllMocks()
    restore(this.before)
  }

  handleTestEvent({ name }, { currentDescribeBlock, rootDescribeBlock }) {
    if (name === 'add_test') this.marks.set(currentDescribeBlock.children.at(-1), new Set(globalThis[MARKS]))
    if (name === 'run_start') this.keepThisTier(rootDescribeBlock)
  }

  /** Takes the tests of other tiers out of the file, and skips those whose servers are not installed. */
  keepThisTier(block) {
    block.children = block.children.filter(child => {
      if (child.type !== 'test') return this.keepThisTier(child)
      const marks = this.marks.get(child)
      if (marks.has('servers') && !HAS_SERVERS) child.mode = 'skip'
      return runsIn(process.env.TEST_TIER ?? 'all', this.testPath, marks)
    })
    return block.children.length > 0
  }

  getVmContext() {
    return THIS_REALM
  }

  exportConditions() {
    return ['node', 'node-addons', 'require', 'default']
  }
}

function remember() {
  return {
    globals: Object.getOwnPropertyDescriptors(globalThis),
    environment: { ...process.env },
    listeners: new Map(process.eventNames().map(name => [name, process.rawListeners(name)])),
    exit: process.exit,
  }
}

function restore({ globals, environment, listeners, exit }) {
  // What packages have put there is theirs to find again.
  for (const key of Object.getOwnPropertySymbols(globalThis))
    if (!(key in globals) && OF_JEST.test(key.description)) delete globalThis[key]
  // Jest's console, and a fetch that a test may have put there.
  for (const key of ['console', 'fetch']) Object.defineProperty(globalThis, key, globals[key])
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  for (const name of process.eventNames())
    for (const listener of process.rawListeners(name))
      if (!listeners.get(name)?.includes(listener) && !globalThis[KEPT_LISTENERS]?.has(listener))
        process.removeListener(name, listener)
  process.exit = exit
}

// A test runner for Stryker. Its own for Jest starts Jest anew for each mutant, which loads all of our code again; this one
// keeps it, as `npm test` does, and runs the files alone that a mutant is reached from.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin'
import { DryRunStatus, TestStatus, toMutantRunResult } from '@stryker-mutator/api/test-runner'

const STATUS = { passed: TestStatus.Success, failed: TestStatus.Failed }

class JestInProcess {
  constructor(options) {
    this.files = options.jestInProcess.tests
  }

  /** Stryker starts a new process where a mutant is in what runs while a module loads. */
  capabilities() {
    return { reloadEnvironment: false }
  }

  /** In the folder of the mutated copy, where this process has been moved. */
  async init() {
    const root = process.cwd()
    const { mutants, hooksId, testId } = await import(join(root, 'test/mutation/environment.mjs'))
    Object.assign(this, { root, mutants, hooksId, testId })
    const ofJest = createRequire(createRequire(join(root, 'package.json')).resolve('jest/package.json'))
    const ofCore = createRequire(ofJest.resolve('@jest/core'))
    const { readInitialOptions, readConfig } = ofCore('jest-config')
    const { config } = await readInitialOptions(join(root, 'test/jest.config.mjs'))
    const { globalConfig, projectConfig } = await readConfig(
      { $0: '', _: [], ci: true, config: JSON.stringify(ownConfig(config, root)) },
      root,
    )
    this.globalConfig = { ...globalConfig, silent: true }
    const { default: Runtime } = ofCore('jest-runtime')
    this.context = await Runtime.createContext(projectConfig, { maxWorkers: 1, watchman: false, console })
    this.JestRunner = ofCore('jest-runner').default
  }

  async dryRun() {
    const tests = await this.run(this.files)
    const { mutantCoverage } = this.mutants
    for (const file of this.files) this.countHooksForTests(file, tests, mutantCoverage)
    return { status: DryRunStatus.Complete, tests, mutantCoverage }
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, disableBail }) {
    Object.assign(this.mutants, { activeMutant: activeMutant.id, hitCount: 0, hitLimit })
    const files = this.files.filter(file => !testFilter || testFilter.some(id => id.startsWith(`${file} `)))
    try {
      const names = testFilter && new Set(testFilter)
      const tests = await this.run(files, names)
      return toMutantRunResult({ status: DryRunStatus.Complete, tests }, disableBail)
    } finally {
      this.mutants.activeMutant = undefined
    }
  }

  /** Ends after the first file with a failure. */
  async run(files, names = null) {
    const results = []
    for (const file of files) {
      const ofFile = await this.runFile(file, names)
      results.push(...ofFile)
      if (this.mutants.activeMutant && ofFile.some(({ status }) => status === TestStatus.Failed)) break
    }
    return results
  }

  async runFile(file, names) {
    const own = names && [...names].filter(id => id.startsWith(`${file} `))
    const testNamePattern = own?.map(id => `^${escaped(id.slice(file.length + 1))}$`).join('|')
    const runner = new this.JestRunner({ ...this.globalConfig, testNamePattern }, {})
    let answer = []
    runner.on('test-file-success', ([, result]) => {
      answer = this.resultsOf(file, result)
    })
    runner.on('test-file-failure', ([, error]) => {
      answer = [this.failure(file, error)]
    })
    const watcher = { isInterrupted: () => false, isWatchMode: () => false, on() {}, off() {} }
    await runner.runTests([{ context: this.context, path: join(this.root, file) }], watcher, { serial: true })
    return answer
  }

  resultsOf(file, { testExecError, testResults }) {
    if (testExecError) return [this.failure(file, testExecError)]
    return testResults
      .filter(({ status }) => STATUS[status] !== undefined)
      .map(({ fullName, status, duration, failureMessages, location }) => ({
        id: this.testId(file, fullName),
        name: fullName,
        fileName: join(this.root, file),
        timeSpentMs: duration ?? 0,
        status: STATUS[status],
        failureMessage: failureMessages.join('\n'),
        // By which Stryker knows the tests again that have not changed since its last run; it counts from 0.
        startPosition: location && { line: location.line - 1, column: location.column },
      }))
  }

  /** A file that does not even load, or whose hooks outside of tests fail. */
  failure(file, error) {
    return {
      id: this.hooksId(file),
      name: `${file} does not run`,
      fileName: join(this.root, file),
      timeSpentMs: 0,
      status: TestStatus.Failed,
      failureMessage: String(error.stack ?? error.message),
    }
  }

  countHooksForTests(file, tests, { perTest }) {
    const hooks = perTest[this.hooksId(file)]
    delete perTest[this.hooksId(file)]
    if (!hooks) return
    for (const { id, fileName } of tests) {
      if (fileName !== join(this.root, file)) continue
      perTest[id] ??= {}
      const own = perTest[id]
      for (const [mutant, visits] of Object.entries(hooks)) own[mutant] = (own[mutant] ?? 0) + visits
    }
  }
}

/** As in `npm test`; the servers are started once for all mutants, by run.mjs. */
function ownConfig({ globalSetup, globalTeardown, ...config }, root) {
  return {
    ...config,
    rootDir: root,
    testLocationInResults: true,
    testEnvironment: join(root, 'test/mutation/environment.mjs'),
    runtime: join(root, 'test/mutation/runtime.mjs'),
  }
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function create(options) {
  return new JestInProcess(options)
}
create.inject = ['options']

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'jest-in-process', create)]

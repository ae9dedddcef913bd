import 'reflect-metadata'
import { writeFile } from 'node:fs/promises'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { AppModule } from '../app.module.js'
import { Clock } from '../clock/clock.js'
import { readSettings } from '../config/read-settings.js'
import { openApiDocument } from './document.js'

const FILE = 'docs/openapi.json'

/** Writes the API reference as a file; in preview nothing is opened, so no store is needed. */
const app = await NestFactory.create<NestFastifyApplication>(
  AppModule.with(readSettings(), new Clock()),
  new FastifyAdapter(),
  { preview: true, logger: ['error'] },
)
await writeFile(FILE, `${JSON.stringify(openApiDocument(app, 'https://api.example.com'), null, 2)}\n`)
console.log(`${FILE} is written`)

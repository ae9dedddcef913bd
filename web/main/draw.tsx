import { drawn } from '../pieces/draw.js'
import { App } from './app.js'

export const drawOn = drawn(() => <App />)

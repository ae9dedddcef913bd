import '@mainstay-auth/react/styles.css'
import './app.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.js'

createRoot(document.getElementById('app') as HTMLElement).render(<App />)

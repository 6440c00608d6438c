import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { router } from './lib/router.svelte';
import { theme } from './lib/theme.svelte';

theme.start();
router.start();
mount(App, { target: document.getElementById('app')! });

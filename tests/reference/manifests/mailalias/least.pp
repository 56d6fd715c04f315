mailalias { 'root': recipient => 'admin@example.com' }

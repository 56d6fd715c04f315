node /web/ { }
class role { }
